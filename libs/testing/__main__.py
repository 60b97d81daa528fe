"""`python -m libs.testing CASES_DIR`: the conformance runner."""

import sys
from pathlib import Path

from libs.testing.runner import run

if len(sys.argv) != 2:
    print("usage: python -m libs.testing CASES_DIR", file=sys.stderr)
    sys.exit(2)
sys.exit(run(Path(sys.argv[1]), print))
