"""The page at the address itself, for whoever opens it in a browser: what answers here, and where to read on. It has no data and no
script."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache
from html import escape
from pathlib import Path

from starlette.responses import HTMLResponse

from tidelore.texts import LANGUAGES, load

_STYLE = (
    "body{font:16px/1.6 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color:#222;background:#fdfdfb}"
    "section{margin-bottom:3rem}code{background:#eee;padding:.1em .3em;border-radius:3px}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1c1e}code{background:#333}a{color:#8ab4f8}}"
)
_NAMES = {"en": "en", "zh": "zh-CN"}
# The names of files are the same in every language.
PAGES = ("docs/sidecar.md", "docs/gateway.md", "docs/mcp.md")


def page() -> HTMLResponse:
    """In all languages, one below the other."""
    style = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    headers = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{style}'; frame-ancestors 'none'; base-uri 'none'",
        "Referrer-Policy": "no-referrer",
    }
    return HTMLResponse(_html(), headers=headers)


@cache
def _html() -> str:
    sections = "\n".join(_section(language) for language in LANGUAGES)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
        f"<title>Tidelore</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>Tidelore</h1>\n{sections}\n</body>\n</html>\n"
    )


def _section(language: str) -> str:
    texts = load("zh" if language == "zh" else "en")
    about = {name: texts(f"page.{Path(name).stem}") for name in PAGES}
    docs = [f"<li><code>{escape(name)}</code>: {escape(text)}</li>" for name, text in about.items()]
    what, key, read = texts("page.what"), texts("page.key"), texts("page.docs")
    routes = f'<li><a href="openapi.json">openapi.json</a>: {escape(texts("page.openapi"))}</li>'
    lines = [
        f'<section lang="{_NAMES[language]}">',
        f"<p>{escape(what)}</p>",
        f"<p>{escape(key)} <code>tidelore key</code></p>",
        f"<p>{escape(read)}</p>",
        f"<ul>{''.join(docs)}{routes}</ul>",
        "</section>",
    ]
    return "\n".join(lines)
