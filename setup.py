"""What pyproject.toml cannot say: a wheel holds the files of the panel, which are those of the SillyTavern extension."""

from pathlib import Path
from shutil import copytree, ignore_patterns

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
# What the page of SillyTavern alone needs: the store in the browser.
LEFT_OUT = ignore_patterns("store", "*.d.mts", ".*")


class BuildWithPanel(build_py):
    """An editable installation takes them from the checkout."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            copytree(ROOT / "extension", self._page(), ignore=LEFT_OUT, dirs_exist_ok=True)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        found = [str(path) for path in self._page().rglob("*") if path.is_file()]
        return [*super().get_outputs(include_bytecode), *found]

    def _page(self) -> Path:
        return Path(self.build_lib) / "tidelore" / "page"


setup(cmdclass={"build_py": BuildWithPanel})
