"""Settings of every test: Hypothesis profiles.

`default` looks at new examples in each run; `ci` (where CI is set) at the same ones each time; `fast` at few of them.
HYPOTHESIS_PROFILE or `--hypothesis-profile` chooses.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("fast", deadline=None, max_examples=20)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default"))
