"""`python -m tidelore` is the `tidelore` command."""

import sys

from tidelore.cli import main

sys.exit(main())
