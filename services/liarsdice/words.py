"""The words of the terminal, English and Danish."""

EN: dict[str, str] = {
    "game": "Game",
    "round": "round",
    "final": "final",
    "most": "most",
    "dice": "dice",
    "you": "you",
    "seat": "seat",
    "out": "safe, place {place}",
    "watches": "watches",
    "viborg": "in Viborg",
    "strokes": "strokes",
    "locked": "locked",
    "cup": "your cup",
    "locked_cup": "your cup is locked until the next shake",
    "bids": "bids",
    "nothing": "no bid yet",
    "turn": "{who} to call",
    "lifted": "{lifter} lifted {bidder}'s {bid}: {count}, {verdict}. {loser} lost round {round}",
    "holds": "it held",
    "lie": "a lie",
    "not_shown": "the face did not show",
    "over": "{loser} lost the game",
    "next": "Type next for the next game.",
    "may": "You may bid",
    "lift": "or lift",
    "from": "from {low}",
    "odds": "odds",
    "current": "this bid holds",
    "suggests": "the odds say",
    "house": "house rules",
    "peek_once": "peek once",
    "stairs": "stairs",
    "any_kind": "of a kind",
    "present": "present",
    "ones_without_jokers": "ones without jokers",
    "classic_lift": "classic lift",
    "turn_seconds": "{seconds} s a turn",
    "no_viborg": "no Viborg",
    "finale": "a final in Viborg",
    "practice": "practice table",
    "hidden_count": "hidden count",
    "lost": "lost, place {place}",
    "rounds_given": "rounds given",
    "selvbinders": "selvbinder",
    "auto": "by the clock",
    "do_lift": "lift",
    "help": (
        "Type 3 5 (three fives), 3 any (of a kind), lift (l), peek (p), next (n), help on, help off; "
        "between games the host: rules stairs=on turn_seconds=15 preset=slags.\n"
        "Rule sets: standard, slags, turnering, hardcore; house rules: peek_once, stairs, any_kind, present, "
        "ones_without_jokers, classic_lift, turn_seconds, viborg, finale, practice, hidden_count."
    ),
}
DA: dict[str, str] = {
    "game": "Spil",
    "round": "runde",
    "final": "finalen i Viborg",
    "most": "højst",
    "dice": "terninger",
    "you": "du",
    "seat": "plads",
    "out": "ude og slap, nr. {place}",
    "watches": "kigger på",
    "viborg": "i Viborg",
    "strokes": "streger",
    "locked": "låst",
    "cup": "dit bæger",
    "locked_cup": "dit bæger er låst til næste rystning",
    "bids": "bud",
    "nothing": "intet bud endnu",
    "turn": "{who} skal melde",
    "lifted": "{lifter} løftede {bidder}s {bid}: {count}, {verdict}. {loser} tabte runde {round}",
    "holds": "buddet holdt",
    "lie": "det var løgn",
    "not_shown": "øjnene var ikke til stede",
    "over": "{loser} tabte spillet",
    "next": "Skriv næste for næste spil.",
    "may": "Du kan byde",
    "lift": "eller løfte",
    "from": "fra {low}",
    "odds": "procenter",
    "current": "buddet holder",
    "suggests": "forslag",
    "house": "husregler",
    "peek_once": "kig kun én gang",
    "stairs": "trapper",
    "any_kind": "en slags",
    "present": "til stede",
    "ones_without_jokers": "ettere uden jokere",
    "classic_lift": "klassisk løft",
    "turn_seconds": "{seconds} s pr. tur",
    "no_viborg": "uden Viborg",
    "finale": "finalen i Viborg",
    "practice": "øvebord",
    "hidden_count": "skjult antal",
    "lost": "tabte, nr. {place}",
    "rounds_given": "omgange",
    "selvbinders": "selvbinder",
    "auto": "af uret",
    "do_lift": "løft",
    "help": (
        "Skriv 3 5 (tre femmere), 3 slags (af en slags), løft (l), kig (k), næste (n), hjælp til, hjælp fra; "
        "værten mellem spillene: regler stairs=on turn_seconds=15 preset=slags.\n"
        "Regelsæt: standard, slags, turnering, hardcore; husregler: peek_once (kig kun én gang), stairs (trapper), "
        "any_kind (en slags), present (til stede), ones_without_jokers (ettere uden jokere), "
        "classic_lift (klassisk løft), turn_seconds, viborg, finale, practice (øvebord), hidden_count (skjult antal)."
    ),
}
WORDS: dict[str, dict[str, str]] = {"en": EN, "da": DA}
FACES_EN = ("of a kind", "ones", "twos", "threes", "fours", "fives", "sixes")
_ONE_EN = ("of a kind", "one", "two", "three", "four", "five", "six")


def english(quantity: int, face: int) -> str:
    """`5 fives`, `1 five`, `7 of a kind`."""
    return f"{quantity} {(_ONE_EN if quantity == 1 else FACES_EN)[face]}"
