"""What can be chosen about the engine itself, with defaults that work; kept with the store, so that every client has the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from tidelore.engine import methods as m
from tidelore.engine import methods_care as mc
from tidelore.engine import results_overview as ro
from tidelore.engine.errors import BadInput
from tidelore.engine.ports import Batch
from tidelore.engine.recall.presets import PRESETS
from tidelore.engine.recall.run import PATIENCE
from tidelore.engine.table import DEFAULT_LAG, Call, method
from tidelore.engine.upkeep.alike import ALIKE

if TYPE_CHECKING:
    from tidelore.engine.service import Service

# Where the store keeps them.
KEY = "settings"
# The number of the reading (Chats.readings) at which they were read, and what they were.
_at_hand: WeakKeyDictionary[Service, tuple[int, dict[str, Any]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Known:
    """A setting. `least` and `most` bound numbers; `choices` are those of a choice."""

    name: str
    type: Literal["whole", "number", "choice"]
    default: Any
    group: str
    level: Literal["basic", "advanced"]
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()


SETTINGS = {
    each.name: each
    for each in (
        Known("recall.preset", "choice", "story", "recall", "basic", choices=tuple(PRESETS)),
        # 0 lets the preset say.
        Known("recall.budget", "whole", 0, "recall", "basic", 0, 20_000),
        Known("recall.limit", "whole", 0, "recall", "advanced", 0, 100),
        Known("recall.patience", "number", PATIENCE, "recall", "advanced", 0, 60),
        # 0: the memory model does not judge.
        Known("recall.rerank", "number", 0, "recall", "advanced", 0, 60),
        Known("extract.lag", "whole", DEFAULT_LAG, "extraction", "advanced", 0, 50),
        Known("extract.exchanges", "whole", 1, "extraction", "advanced", 1, 20),
        Known("cards.alike", "number", ALIKE, "cards", "advanced", 0.5, 1),
    )
}


@method("settings.describe", m.NoParams, ro.Settings)
async def settings_describe(service: Service, params: m.NoParams, call: Call) -> ro.Settings:
    """All settings of the engine: what each takes, what it is now and by default. A call that says something itself goes before them."""
    del params, call
    return _described(await _stored(service))


@method("settings.set", mc.SettingsSet, ro.Settings, writes=True)
async def settings_set(service: Service, params: mc.SettingsSet, call: Call) -> ro.Settings:
    """Change settings of the engine."""
    del call
    taken = {name: _checked(_known(name), value) for name, value in params.values.items()}
    stored = {**await _stored(service), **taken}
    return await _store(service, stored)


@method("settings.reset", mc.SettingsReset, ro.Settings, writes=True)
async def settings_reset(service: Service, params: mc.SettingsReset, call: Call) -> ro.Settings:
    """Take settings back to their defaults."""
    del call
    names = {_known(name).name for name in params.names} or SETTINGS.keys()
    stored = {name: value for name, value in (await _stored(service)).items() if name not in names}
    return await _store(service, stored)


async def values_of(service: Service) -> dict[str, Any]:
    """What every setting is now."""
    return {name: each.default for name, each in SETTINGS.items()} | await _stored(service)


async def values_at_hand(service: Service) -> dict[str, Any]:
    """The same for who has just looked at what is stored, as by opening a chat: read once until that changes."""
    readings = service.chats.readings
    known = _at_hand.get(service)
    if known is None or known[0] != readings:
        known = _at_hand[service] = (readings, await values_of(service))
    return known[1]


async def value_of(service: Service, name: str) -> Any:
    """What a setting is now."""
    return (await _stored(service)).get(name, SETTINGS[name].default)


async def _stored(service: Service) -> dict[str, Any]:
    """What was chosen, as far as it is a setting that this version knows and takes."""
    stored = (await service.store.settings()).get(KEY)
    out: dict[str, Any] = {}
    for name, value in (stored if isinstance(stored, Mapping) else {}).items():
        if name in SETTINGS and _fault(SETTINGS[name], value) is None:
            out[name] = value
    return out


async def _store(service: Service, values: Mapping[str, Any]) -> ro.Settings:
    chosen = {name: value for name, value in values.items() if value != SETTINGS[name].default}
    await service.store.write(Batch(settings={KEY: chosen}))
    service.chats.reread()
    return _described(chosen)


def _described(stored: Mapping[str, Any]) -> ro.Settings:
    return ro.Settings(
        [
            ro.Setting(
                each.name,
                each.type,
                stored.get(each.name, each.default),
                each.default,
                each.least,
                each.most,
                list(each.choices),
                each.group,
                each.level,
                each.name in stored,
            )
            for each in SETTINGS.values()
        ]
    )


def _known(name: str) -> Known:
    found = SETTINGS.get(name)
    if found is None:
        raise BadInput(f"There is no setting named {name[:60]!r}.", f"Settings: {', '.join(SETTINGS)}.")
    return found


def _checked(setting: Known, value: object) -> Any:
    fault = _fault(setting, value)
    if fault is not None:
        raise BadInput(f"{setting.name} cannot be {str(value)[:40]!r}.", fault)
    return value


def _fault(setting: Known, value: object) -> str | None:
    """What the setting takes, where the value is nothing of it."""
    if setting.type == "choice":
        return None if isinstance(value, str) and value in setting.choices else f"It is one of {', '.join(setting.choices)}."
    kinds = int if setting.type == "whole" else int | float
    least, most = setting.least or 0, setting.most or 0
    if not isinstance(value, bool) and isinstance(value, kinds) and least <= value <= most:
        return None
    return f"It is a {'whole number' if setting.type == 'whole' else 'number'} from {least:g} to {most:g}."
