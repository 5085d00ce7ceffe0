"""`python -m hansa_fast.cli` is the command `hansa`."""

import sys

from hansa_fast.cli import main

sys.exit(main())
