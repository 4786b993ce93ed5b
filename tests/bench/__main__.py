"""Run every benchmark and say which bars hold; status 1 when one does not."""

import sys

from tests.bench import startup

if __name__ == "__main__":
    sys.exit(0 if startup.main() else 1)
