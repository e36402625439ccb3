"""The judges that a page can choose from: by name, never with a key."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from citemark.errors import CitemarkError
from citemark.judges.llm.endpoint import Provider, find_key, providers
from citemark.judges.options import MODES
from citemark.judges.registry import find_judge, plugin_names
from citemark.web.scores import HERE
from citemark.web.setup import Setup


def known_judges(setup: Setup) -> dict[str, Any]:
    """Every judge, whether it can be used here, and what is missing if not."""
    notes = ("offline, no key: the default", "offline, quicker and coarser")
    listed = [_entry(name, True, note) for name, note in zip(HERE, notes, strict=True)]
    listed = [entry for entry in listed if _is_there(entry["spec"])]
    listed += [_provider(name, each, setup) for name, each in providers().items()]
    has_runtime = find_spec("xllamacpp") is not None
    listed.append(
        _entry(
            "gguf:smollm2",
            has_runtime,
            "a tiny model to try the path with; no real judge"
            if has_runtime
            else 'pip install "citemark[local]"',
        )
    )
    listed += [_entry(name, True, "a plugin that is installed here") for name in plugin_names()]
    return {"judges": listed, "modes": list(MODES), "base_url": setup.options.base_url}


def _is_there(spec: str) -> bool:
    try:
        find_judge(spec)
    except CitemarkError:
        return False
    return True


def _entry(spec: str, ready: bool, note: str) -> dict[str, Any]:
    return {"spec": spec, "ready": ready, "note": note, "model": spec.endswith(":MODEL")}


def _provider(name: str, provider: Provider, setup: Setup) -> dict[str, Any]:
    spec = f"{name}:MODEL"
    if name == "openai" and setup.options.base_url:
        return _entry(spec, True, f"the server at {setup.options.base_url}")
    if provider.key is None:
        return _entry(spec, True, f"{provider.title}, if it runs at {provider.base_url}")
    if find_key(provider.key):
        return _entry(spec, True, f"{provider.title}, key from {provider.key}")
    return _entry(spec, False, f"{provider.title}: set {provider.key} and start again")
