"""The process of carrom: wiring only."""

from libs.table.service import run_game
from services.carrom.rules import RULES
from services.carrom.settings import CarromSettings

if __name__ == "__main__":
    run_game(RULES, CarromSettings)
