"""The process of klaverjas: wiring only."""

from libs.table.service import run_game
from services.klaverjas.rules import RULES
from services.klaverjas.settings import KlaverjasSettings

if __name__ == "__main__":
    run_game(RULES, KlaverjasSettings)
