"""The runs of a server: at most a few at once, the latest ones kept for whoever looks."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from citemark.judges import JudgeOptions
from citemark.judges.options import MODES
from citemark.scoring import choose_rubrics
from citemark.web.bodies import only_known, text_field
from citemark.web.problems import ApiError, busy, problem_of
from citemark.web.running import Order, Run, without_keys
from citemark.web.setup import Setup

_FIELDS = ("file", "judge", "mode", "metrics", "samples", "budget", "output")
_MOST_SAMPLES = 64
_OFFERED_MODEL = "gguf:smollm2"


class Runs:
    """Starts, lists and cancels runs."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._runs: dict[str, Run] = {}
        self.streams = 0
        self.closing = False

    async def start(self, wish: Mapping[str, Any]) -> Run:
        """Start a run; raises a problem if it cannot be started."""
        active = sum(not run.is_over for run in self._runs.values())
        if active >= self._setup.limits.runs:
            raise busy(f"{active} runs are under way", 10, status=429)
        # No await up to here: two runs are never given one name.
        run = Run(self._order(wish))
        self._runs[run.id] = run
        self._forget()
        run.start()
        try:
            await asyncio.wrap_future(run.ready)
        except Exception as error:
            del self._runs[run.id]
            raise self._refusal(error) from None
        return run

    def find(self, identifier: str) -> Run:
        """The run with this id."""
        run = self._runs.get(identifier)
        if run is None:
            raise ApiError(404, "there is no such run", where=identifier[:50], then="see /api/runs")
        return run

    def latest(self) -> list[Run]:
        """All runs that are kept, the newest first."""
        return list(reversed(self._runs.values()))

    def close(self) -> None:
        """Stop everything; what was answered is in the store."""
        self.closing = True
        active = [run for run in self._runs.values() if not run.is_over]
        for _ in range(2):  # the second time it is not a question
            for run in active:
                run.cancel()
        for run in active:
            run.wait(3.0)

    def _forget(self) -> None:
        over = [run.id for run in self._runs.values() if run.is_over]
        for identifier in over[: max(0, len(self._runs) - self._setup.limits.runs_kept)]:
            del self._runs[identifier]

    def _refusal(self, error: Exception) -> Exception:
        from citemark.errors import CitemarkError

        if not isinstance(error, CitemarkError):
            return error
        problem = problem_of(error, where="judge")
        problem.what = without_keys(self._setup.folder.shown(problem.what))
        return problem

    def _order(self, wish: Mapping[str, Any]) -> Order:
        only_known(wish, _FIELDS)
        folder = self._setup.folder
        name = text_field(wish, "file", required=True) or ""
        judge = text_field(wish, "judge", required=True) or ""
        source = folder.open_path(name)
        taken = {run.order.output for run in self._runs.values() if not run.is_over}
        wanted = text_field(wish, "output") or f"{_stem(name)}.{_slug(judge)}.jsonl"
        if not wanted.lower().endswith(".jsonl"):
            then = "name a file that ends in .jsonl"
            raise ApiError(422, "results are written as JSON Lines", where="output", then=then)
        target = folder.new_path(wanted, taken)
        return Order(
            source=source,
            target=target,
            name=name,
            output=folder.name_of(target),
            judge=_allowed(judge),
            rubrics=choose_rubrics(_metrics(wish.get("metrics"))),
            options=self._options(wish, judge),
        )

    def _options(self, wish: Mapping[str, Any], judge: str) -> JudgeOptions:
        """The options of the server, and what a page may choose: never where requests go."""
        options = self._setup.options
        mode = text_field(wish, "mode")
        if mode is not None and mode not in MODES:
            then = f"there are: {', '.join(MODES)}"
            raise ApiError(422, f'there is no mode "{mode[:50]}"', where="mode", then=then)
        samples = _number(wish, "samples", options.samples, least=1, most=_MOST_SAMPLES)
        budget = _number(wish, "budget", options.budget, least=0, most=1_000_000)
        return replace(
            options,
            mode=mode,
            base_url=options.base_url if judge.startswith("openai:") else None,
            samples=int(samples or options.samples),
            budget=float(budget) if budget else None,
        )


def _allowed(judge: str) -> str:
    """The spec of a judge that a page may ask for: no files of this machine."""
    if not judge.isprintable() or len(judge) > 200:
        raise ApiError(422, "this is no judge", where="judge", then="see /api/judges")
    if judge.startswith("gguf:") and judge != _OFFERED_MODEL:
        raise ApiError(
            422,
            "model files cannot be named here",
            where="judge",
            then=f"use {_OFFERED_MODEL}, or citemark score with --judge gguf:PATH",
        )
    return judge


def _metrics(value: Any) -> list[str] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ApiError(422, '"metrics" must be a list of names', where="metrics")
    return value


def _number(
    wish: Mapping[str, Any], name: str, default: float | None, *, least: int, most: int
) -> float | None:
    value = wish.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ApiError(422, f'"{name}" must be a number from {least} to {most:,}', where=name)
    return value


def _stem(name: str) -> str:
    return name.rpartition("/")[2].partition(".")[0] or "run"


def _slug(judge: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", judge).strip("-")[:60] or "judge"
