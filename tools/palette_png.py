"""Small pictures: a PNG of a browser as one of at most 256 colours."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

from playwright.sync_api import Page

# The commonest colours make the palette, so that text and lines keep theirs; every other pixel takes the nearest. A browser reads PNG.
QUANTISE = """async data => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += 4) {
    const colour = (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const parts = colour => [colour >> 16, (colour >> 8) & 255, colour & 255];
  const apart = ([a, b, c], [x, y, z]) => (a - x) ** 2 + (b - y) ** 2 + (c - z) ** 2;
  const palette = [];
  const order = [...counts.entries()].sort((one, other) => other[1] - one[1]).map(([colour]) => parts(colour));
  for (const least of [300, 60, 0]) {
    for (const colour of order) {
      if (palette.length === 256) break;
      if (palette.every(each => apart(each, colour) > least)) palette.push(colour);
    }
  }
  const nearest = new Map();
  const find = colour => {
    const of = parts(colour);
    let best = 0;
    for (let at = 1; at < palette.length; at++) if (apart(palette[at], of) < apart(palette[best], of)) best = at;
    return best;
  };
  const rows = new Uint8Array(image.width * image.height);
  for (let at = 0; at < rows.length; at++) {
    const colour = (pixels[4 * at] << 16) | (pixels[4 * at + 1] << 8) | pixels[4 * at + 2];
    if (!nearest.has(colour)) nearest.set(colour, find(colour));
    rows[at] = nearest.get(colour);
  }
  let text = "";
  for (let at = 0; at < rows.length; at += 0x8000) text += String.fromCharCode(...rows.subarray(at, at + 0x8000));
  return { width: image.width, height: image.height, palette: palette.flat(), rows: btoa(text) };
}"""


def small(page: Page, png: bytes) -> bytes:
    """The same picture in at most 256 colours. `page` may show anything: it only lends its eyes."""
    found: dict[str, Any] = page.evaluate(QUANTISE, base64.b64encode(png).decode())
    width, height = found["width"], found["height"]
    rows = base64.b64decode(found["rows"])
    lines = b"".join(b"\0" + rows[at : at + width] for at in range(0, width * height, width))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", bytes(found["palette"])),
        (b"IDAT", zlib.compress(lines, 9)),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in (*parts, (b"IEND", b"")))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
