"""Names of machines and origins of pages, brought to one form."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}
_LONGEST = 300


def origin_of(text: str) -> str | None:
    """ "scheme://host" with the port where it is not the scheme's own, in small letters; None for what is no origin, "null" included."""
    # A percent sign would be a zone of this machine's network, which no browser sends.
    if len(text) > _LONGEST or not text.isascii() or not text.isprintable() or " " in text or "%" in text:
        return None
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    host = parts.hostname
    if not host or not parts.scheme or parts.username is not None or parts.path not in ("", "/") or parts.query or parts.fragment:
        return None
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port is not None and port != _PORTS.get(parts.scheme) else "")


def host_of(header: str) -> str | None:
    """The name in a Host header, without its port and brackets, in small letters; None for what is none."""
    if "/" in header or "@" in header or "?" in header or "#" in header:
        return None
    found = origin_of(f"http://{header}")
    return urlsplit(found).hostname if found else None


def is_loopback(host: str) -> bool:
    """Whether a name can mean this machine only. Browsers resolve localhost and names under it themselves (RFC 6761)."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
