"""`python -m tests.bench.sidecar`: all figures of the sidecar in one run, some minutes long. Linux only."""

from __future__ import annotations

import argparse
import asyncio

from tests.bench import figures, gateway, mcp, sockets


def main(seconds: float) -> None:
    print(figures.machine())
    mcp.main()
    asyncio.run(gateway.main(300, 200, seconds))
    asyncio.run(sockets.main(1000))
    print(figures.machine())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the streams of the gateway are held")
    main(parser.parse_args().seconds)
