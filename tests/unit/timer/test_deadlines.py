"""The heap of deadlines against a plain list of what runs."""

from hypothesis import given
from hypothesis import strategies as st

from services.timer.deadlines import Deadlines
from services.timer.saved import pack, unpack

tables = st.sampled_from(["t1", "t2", "t3"])
sets = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 50), max_size=4)
steps = st.lists(st.tuples(tables, sets, st.integers(0, 8)), max_size=60)


@given(steps)
def test_each_clock_comes_up_once_when_it_is_due(script: list[tuple[str, dict[str, int], int]]) -> None:
    deadlines, now = Deadlines(), 0
    running: dict[tuple[str, str], int] = {}
    seen: set[tuple[str, str, int]] = set()
    for table, clocks, passes in script:
        for key in [key for key in running if key[0] == table and clocks.get(key[1]) != running[key]]:
            seen.discard((*key, running.pop(key)))
        deadlines.put("log", table, clocks)
        running |= {(table, clock_id): due for clock_id, due in clocks.items()}
        assert len(deadlines) == len(running)
        waiting = [due for key, due in running.items() if (*key, due) not in seen]
        assert deadlines.next_at() == (min(waiting) if waiting else None)
        now += passes
        came = [(d.table, d.clock_id, d.due) for d in deadlines.take_due(now)]
        expected = {(*key, due) for key, due in running.items() if due <= now} - seen
        assert set(came) == expected
        assert len(came) == len(expected)
        assert [due for _, _, due in came] == sorted(due for _, _, due in came)
        seen |= expected


@given(steps)
def test_the_row_brings_back_what_runs(script: list[tuple[str, dict[str, int], int]]) -> None:
    deadlines = Deadlines()
    for table, clocks, _ in script:
        deadlines.put("log", table, clocks)
    positions, again = unpack(pack({"log": 7}, deadlines))
    assert positions == {"log": 7}
    assert {(t, *c.items()) for _, t, c in again.sets()} == {(t, *c.items()) for _, t, c in deadlines.sets()}


def test_the_heap_does_not_outgrow_what_runs() -> None:
    deadlines = Deadlines()
    for n in range(20_000):
        deadlines.put("log", f"t{n % 100}", {"a": n + 1})
    assert len(deadlines) == 100
    assert len(deadlines._heap) <= 2 * 100 + 1024
