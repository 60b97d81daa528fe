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
    "help": (
        "Type 3 5 (three fives), 3 any (of a kind), lift (l), peek (p), next (n), help on, help off; "
        "the host: rules stairs=on turn_seconds=15 preset=slags."
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
    "help": (
        "Skriv 3 5 (tre femmere), 3 slags (af en slags), løft (l), kig (k), næste (n), hjælp til, hjælp fra; "
        "værten: regler stairs=on turn_seconds=15 preset=slags."
    ),
}
WORDS: dict[str, dict[str, str]] = {"en": EN, "da": DA}
FACES_EN = ("of a kind", "ones", "twos", "threes", "fours", "fives", "sixes")
