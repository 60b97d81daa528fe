"""The process of liarsdice: wiring only."""

from libs.table.service import run_game
from services.liarsdice.rules import RULES
from services.liarsdice.settings import LiarsdiceSettings

if __name__ == "__main__":
    run_game(RULES, LiarsdiceSettings)
