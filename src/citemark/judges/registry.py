"""The judges by name: those built in, and those that installed packages offer."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from citemark.errors import JudgeError, UsageError
from citemark.judges.options import JudgeOptions
from citemark.judges.protocol import Judge

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "citemark.judges"
_BUILT_IN = {
    "embedded": "citemark.judges.embedded:EmbeddedJudge",
    "embedded:fast": "citemark.judges.embedded.fast:FastJudge",
}


def find_judge(spec: str | Judge, options: JudgeOptions | None = None) -> Judge:
    """The judge that a spec such as ``embedded``, ``openai:MODEL`` or a plugin's name stands for.

    ``options`` are for judges that ask a model.

    >>> find_judge("embedded").name
    'embedded'
    """
    if not isinstance(spec, str):
        return spec
    if ":" in spec and spec not in _BUILT_IN:
        from citemark.judges.llm.making import make_llm_judge  # not needed for other judges

        return make_llm_judge(spec, options or JudgeOptions())
    if options is not None and options.mode is not None:
        raise UsageError(f'--mode is for judges that ask a model; "{spec}" has none')
    if place := _BUILT_IN.get(spec):
        module, _, name = place.partition(":")
        return _made(getattr(import_module(module), name), spec)
    for plugin in _plugins():
        if plugin.name == spec:
            try:
                return _made(plugin.load(), spec)
            except ImportError as error:
                raise JudgeError(f'judge "{spec}" cannot be loaded: {error}') from error
    known = ", ".join(judge_names())
    raise UsageError(
        f'no judge "{spec}"; there are: {known}, and PROVIDER:MODEL (see citemark judges)'
    )


def judge_names() -> list[str]:
    """The names of the judges that can be asked for here."""
    return [*_BUILT_IN, *plugin_names()]


def plugin_names() -> list[str]:
    """The names of the judges that installed packages offer."""
    return sorted(plugin.name for plugin in _plugins())


def _plugins() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # costs more than the rest of citemark to import

    return entry_points(group=ENTRY_POINTS)


def _made(factory: object, spec: str) -> Judge:
    judge = factory() if callable(factory) else factory
    if not isinstance(judge, Judge):
        raise JudgeError(f'judge "{spec}" does not follow the protocol in citemark.judges.protocol')
    return judge
