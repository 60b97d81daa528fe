"""The process of trictrac: wiring only."""

from libs.table.service import run_game
from services.trictrac.rules import RULES
from services.trictrac.settings import TrictracSettings

if __name__ == "__main__":
    run_game(RULES, TrictracSettings)
