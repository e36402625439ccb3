"""One run of ``citemark score``: from what was asked for to the files and the exit code."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import click

from citemark.citations.urls import domain_of
from citemark.cli.ending import stopped_politely
from citemark.cli.inputs import Inputs
from citemark.cli.progress import watched
from citemark.cli.talk import say
from citemark.errors import UsageError
from citemark.judges import Judge
from citemark.judging import work_on
from citemark.manifest import Manifest, Tally, counted
from citemark.notices import notice
from citemark.results import Writer, format_of, writer_for, written_whole
from citemark.rubrics import Rubric, load_rubric
from citemark.scorecard import Scorecard
from citemark.scoring import choose_rubrics, score_many

__all__ = ["Inputs", "Scoring", "keep_inputs", "read_rubrics", "read_sources", "say_plan"]


def read_rubrics(metrics: str | None, files: Sequence[str]) -> tuple[Rubric, ...]:
    """The rubrics to score by: those built in, and the user's own."""
    return choose_rubrics(_names(metrics), [load_rubric(path) for path in files])


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    return [name for part in text.replace("|", ",").split(",") if (name := part.strip())]


def read_sources(text: str | None) -> list[str] | None:
    """The wanted sources: numbers as they are, pages and domains as the domain alone."""
    names = _names(text)
    if names is None:
        return None
    wanted = [name if name.isdecimal() else domain_of(name) for name in names]
    strange = [name for name in wanted if not name.isdecimal() and "." not in name]
    if strange or not wanted:
        given = f', not "{strange[0]}"' if strange else ""
        raise UsageError(f"--sources takes numbers or domains, such as 1,3 or example.com{given}")
    return [str(int(name)) if name.isdecimal() else name for name in wanted]


def say_plan(
    judge: Judge, cases: Inputs, rubrics: tuple[Rubric, ...], only: list[str] | None
) -> None:
    """Print what a run would ask; nothing is asked."""
    if not hasattr(judge, "asking"):
        say(f'judge "{judge.name}" asks no model: no calls, no cost')
        return
    from citemark.judges.llm.judge import LLMJudge
    from citemark.judges.llm.plan import planned

    if isinstance(judge, LLMJudge):
        plan = planned(judge, work_on(cases, rubrics, only))
        click.echo(f"{judge.name}, mode {judge.mode}: {plan.line()}")
        judge.close()
    cases.finish()


def keep_inputs(inputs: tuple[str, ...], output: Path | None) -> None:
    """Refuse to write the results over the cases they are made from."""
    for name in inputs:
        if output and output.exists() and Path(name).exists() and output.samefile(name):
            raise UsageError(f"{output} is an input; write the results to another file")


def _settings(judge: Judge) -> dict[str, Any]:
    """How a judge was set up, as far as a score depends on it."""
    settings = getattr(judge, "settings", None)
    return asdict(settings) if is_dataclass(settings) and not isinstance(settings, type) else {}


class Scoring:
    """One run of the command, from the cases to the files and the exit code."""

    def __init__(
        self,
        cases: Inputs,
        judge: Judge,
        rubrics: tuple[Rubric, ...],
        only: list[str] | None,
        output: Path | None,
        form: str | None,
    ) -> None:
        self.cases = cases
        self.judge = judge
        self.rubrics = rubrics
        self.only = only
        self.output = output
        self.output_format = format_of(output) if output else None
        self.form = form or (None if output else "table")
        self.tally = Tally()
        self.signature = ""
        self.started = time.time()

    def go(self) -> None:
        """Score everything, write it, say what became of it, and end with the exit code."""
        with ExitStack() as stack:
            if hasattr(self.judge, "close"):
                stack.callback(self.judge.close)
            if hasattr(self.judge, "stop"):
                stack.enter_context(stopped_politely(self.judge.stop))
            writers = self._writers(stack)
            for card in self._cards():
                self.tally.add(card)
                self.signature = card.signature
                for writer in writers:
                    writer.write(card)
            if not self.tally.cases:
                self.cases.finish()
            for writer in writers:
                writer.close()
        if self.output:
            self._manifest().write_beside(self.output)
        self._talk()
        self.cases.finish()
        sys.exit(1 if self.tally.failed else 0)

    def _cards(self) -> Iterator[Scorecard]:
        cards = score_many(self.cases, judge=self.judge, rubrics=self.rubrics, only=self.only)
        # A bar and what is printed would run through each other in one terminal.
        printing = self.form is not None and sys.stdout.isatty()
        return cards if printing else watched(cards, self.cases, self.judge)

    def _writers(self, stack: ExitStack) -> list[Writer]:
        writers: list[Writer] = []
        if self.form == "table":
            from citemark.cli.table import Table  # rich takes a moment to import

            writers.append(Table(self.judge.trust))
        elif self.form:
            writers.append(writer_for(self.form, sys.stdout.buffer, self.rubrics))
        if self.output and self.output_format:
            stream = stack.enter_context(written_whole(self.output))
            form, title = self.output_format, self.output.stem
            writers.append(writer_for(form, stream, self.rubrics, title=title, facts=self._facts))
        return writers

    def _facts(self) -> dict[str, Any]:
        return self._manifest().to_dict()

    def _manifest(self) -> Manifest:
        ledger, purse = getattr(self.judge, "ledger", None), getattr(self.judge, "purse", None)
        return Manifest(
            inputs=self.cases.names,
            input_sha256=self.cases.sha256,
            bad_cases=self.cases.bad,
            rubrics=self.rubrics,
            judge=self.judge.name,
            mode=getattr(self.judge, "mode", None),
            signature=self.signature,
            settings={"sources": self.only, **_settings(self.judge)},
            calls=ledger.calls_made() if ledger else None,
            tokens=ledger.tokens() if ledger else None,
            cost=purse.cost if purse else None,
            tally=self.tally,
            started=self.started,
        )

    def _talk(self) -> None:
        tally = self.tally
        if self.output:
            say(f"{self.output}: {tally.line()}")
        elif tally.failed:
            say(tally.line())
        if hasattr(self.judge, "account"):
            say(self.judge.account())
        if tally.failed.get("budget"):
            say("the budget was reached: raise --budget and run the same command again to go on")
        if tally.failed.get("interrupted"):
            say("interrupted: run the same command again to go on; what was answered is kept")
        if self.only is not None and not tally.sources:
            notice(f"no case has a source {' or '.join(self.only)}; nothing was scored")
        if tally.uncited_cases:
            answers = f"{tally.uncited_cases} of {counted(tally.cases, 'answer')}"
            notice(f"no source is cited in {answers}; shares are 0 there")
