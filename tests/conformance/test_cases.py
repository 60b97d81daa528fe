"""Every conformance case that the repository carries, each as a test of its own."""

from pathlib import Path

import pytest

from libs.testing.cases import Case, folders, read_folder
from libs.testing.runner import check, find_rules

CASES = [case for folder in folders(Path(__file__).parent / "cases") for case in read_folder(folder)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.game}-{case.id}")
def test_case(case: Case) -> None:
    rules = find_rules(case.game)
    assert rules is not None
    check(case, rules)
