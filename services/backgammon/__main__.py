"""The process of backgammon: wiring only."""

from libs.table.service import run_game
from services.backgammon.rules import RULES
from services.backgammon.settings import BackgammonSettings

if __name__ == "__main__":
    run_game(RULES, BackgammonSettings)
