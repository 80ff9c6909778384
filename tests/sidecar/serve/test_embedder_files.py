"""The files of the page's own embedding model, as the sidecar gives them."""

from __future__ import annotations

import asyncio
import json
import re
from importlib import metadata
from pathlib import Path

import pytest

from tests.embedder_kit import digest, model_zip
from tests.sidecar.serve.kit import PAGE, serving
from tests.sidecar.serve.test_runtime import DATA, LOCK, cdn, locked, read, refused
from tidelore.host.config import CDNS, Config, ServeConfig
from tidelore.host.local_embedder import DEFAULT
from tidelore.serve import embedder_files, runtime
from tidelore.serve.embedder_files import DISTRIBUTION, EmbedderFile, EmbedderLock, shipped_embedder
from tidelore.serve.runtime import Runtime

ROOT = Path(__file__).resolve().parents[3]


def lock_of(*files: EmbedderFile) -> EmbedderLock:
    return EmbedderLock("m", 2, list(files))


def file_of(data: bytes = DATA, **more: object) -> EmbedderFile:
    found = locked("numpy.whl", data)
    return EmbedderFile("numpy", found.name, found.size, found.sha256, **more)  # type: ignore[arg-type]


def test_page_and_sidecar_have_the_same_list_and_it_is_of_the_installed_model() -> None:
    assert json.loads((ROOT / "wasm/embedder.json").read_text("utf-8")) == json.loads(
        (ROOT / "sidecar/tidelore/serve/embedder.json").read_text("utf-8")
    )
    lock = shipped_embedder()
    assert (lock.model, lock.dimension) == (DEFAULT.name, DEFAULT.dimension)
    [made] = [each for each in lock.files if each.packed]
    # When this fails, another version of the package is locked: `python -m tools.embedder_lock` writes the list anew.
    assert (made.size, made.sha256) == (len(model_zip()), digest(model_zip()))
    assert metadata.version(DISTRIBUTION) in made.name


def test_every_hash_is_one_that_another_lock_names_too() -> None:
    requirements = (ROOT / "requirements.lock").read_text("utf-8")
    found = shipped_embedder().files
    [wheel] = [each for each in found if each.part == "model" and not each.packed]
    assert re.search(rf"^{DISTRIBUTION}==[^\n]*\n(?:    --hash\S+ ?\\?\n)*    --hash=sha256:{wheel.sha256}", requirements, re.M)
    stock = ROOT / "node_modules/pyodide/pyodide-lock.json"
    if stock.exists():
        numpy = json.loads(stock.read_text("utf-8"))["packages"]["numpy"]
        assert numpy["sha256"] in {each.sha256 for each in found if each.name == numpy["file_name"]}


def test_the_zip_of_the_package_is_the_same_bytes_each_time_and_goes_out_by_name(tmp_path: Path) -> None:
    async def main() -> None:
        config = Config(serve=ServeConfig(origins=[PAGE], cdns=[]))
        async with serving(tmp_path, config=config) as server, server.http(None, Origin=PAGE) as page:
            [made] = [each for each in shipped_embedder().files if each.packed]
            answer = await page.get(f"/runtime/{made.name}")
            assert answer.status_code == 200
            assert digest(answer.content) == made.sha256
            assert answer.headers["content-type"] == "application/zip"

    asyncio.run(main())


def test_another_version_of_the_package_is_not_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    form = file_of(packed=True)
    made: list[bytes | None] = [DATA, DATA + b"x", None]
    monkeypatch.setattr(runtime, "packed", lambda: made.pop(0))
    given = Runtime(LOCK, tmp_path, [], None, embedder=lock_of(form))
    assert read(given, "numpy.whl") == DATA
    assert refused(given, "numpy.whl") == "runtime_unreachable"
    assert refused(given, "numpy.whl") == "runtime_unreachable"


def test_without_the_package_there_is_no_zip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedder_files, "DISTRIBUTION", "a-package-that-is-not-installed")
    assert embedder_files.packed() is None


def test_numpy_is_fetched_once_by_its_hash_from_its_own_places(tmp_path: Path) -> None:
    with cdn() as bad, cdn() as good:
        bad.files["/numpy.whl"] = DATA[:-1] + b"!"
        good.files["/numpy.whl"] = DATA
        form = file_of(places=[f"{bad.url}/", f"{good.url}/"])
        for _ in range(2):
            assert read(Runtime(LOCK, tmp_path, list(CDNS), None, embedder=lock_of(form)), "numpy.whl") == DATA
        assert (bad.asked, good.asked) == (["/numpy.whl"], ["/numpy.whl"])


def test_whoever_names_addresses_of_their_own_is_asked_nowhere_else(tmp_path: Path) -> None:
    with cdn() as public, cdn() as own:
        public.files["/numpy.whl"] = DATA
        form = file_of(places=[f"{public.url}/"])
        assert refused(Runtime(LOCK, tmp_path, [own.url], None, embedder=lock_of(form)), "numpy.whl") == "runtime_unreachable"
        assert (public.asked, own.asked) == ([], ["/numpy.whl"])


def test_a_file_of_unknown_size_is_known_by_its_hash(tmp_path: Path) -> None:
    with cdn() as place:
        place.files["/numpy.whl"] = DATA
        form = EmbedderFile("numpy", "numpy.whl", 0, digest(DATA), [f"{place.url}/"])
        assert read(Runtime(LOCK, tmp_path, list(CDNS), None, embedder=lock_of(form)), "numpy.whl") == DATA
        place.files["/numpy.whl"] = DATA + b"x"
        other = tmp_path / "other"
        assert refused(Runtime(LOCK, other, list(CDNS), None, embedder=lock_of(form)), "numpy.whl") == "runtime_refused"
