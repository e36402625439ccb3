"""What the handlers of one server share: its set-up, its workers and its runs."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from citemark.web.runs import Runs
from citemark.web.setup import Setup
from citemark.web.workers import Workers


@dataclass(frozen=True, slots=True)
class Service:
    """One server from within."""

    setup: Setup
    workers: Workers
    runs: Runs

    @classmethod
    def of(cls, setup: Setup) -> Service:
        """The service of a set-up."""
        workers = Workers(setup.limits.workers, setup.limits.waiting)
        return cls(setup, workers, Runs(setup))

    def close(self) -> None:
        """Stop runs and workers."""
        self.runs.close()
        self.workers.close()


def service_of(request: Request) -> Service:
    """The service that a request has come to."""
    service: Service = request.app.state.service
    return service
