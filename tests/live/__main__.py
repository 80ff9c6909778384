"""`python -m tests.live --serve`: SillyTavern with Tidelore and a scripted model, to look at with a browser."""

from __future__ import annotations

import argparse
import time

from tests import chromium
from tests.live.data_root import Setup
from tests.live.extension import NAME, copy_repository
from tests.live.stage import Stage


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.live", description=__doc__)
    parser.add_argument("--serve", action="store_true", required=True, help="start, print the address, stay until Ctrl-C")
    parser.add_argument("--show", action="store_true", help="with a window of its own, where there is a display")
    parser.add_argument("--stream", action="store_true", help="replies as a stream")
    options = parser.parse_args()
    found = chromium.find()
    if found is None:
        parser.exit(1, f"{chromium.MISSING}\n")
    with Stage(found, Setup(stream=options.stream), {NAME: copy_repository}, headless=not options.show) as stage:
        print(f"SillyTavern: {stage.server.address}\nscripted model: {stage.model.url}\ndata: {stage.root.folder}")
        print("Ctrl-C ends it.", flush=True)
        try:
            while True:
                time.sleep(1)
        except KeyboardInterrupt:
            return 0


if __name__ == "__main__":
    raise SystemExit(main())
