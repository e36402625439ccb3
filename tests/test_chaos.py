"""A chaos endpoint: one reply in five is broken, and every judgment still ends as it should."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

from faulty import (
    SOAK,
    Asked,
    Fault,
    assert_all_right,
    cases,
    command,
    endpoint,
    everything,
    judged,
    right_score,
)
from loopback import completion
from running import COMMAND, environment, run

JUDGMENTS = 5001 if SOAK else 300
BROKEN = 0.2
SEED = 4
LIMITED = {"error": {"message": "slow down"}}
FAULTS = (
    Fault("429 with Retry-After", 429, LIMITED, {"Retry-After": "0.05"}),
    Fault("429 without", 429, LIMITED),
    Fault("500", 500, b"oops"),
    Fault("502", 502, b"<html>Bad gateway</html>"),
    Fault("reset"),
    Fault("hang", hang=2.0),
    Fault("half a body"),
    Fault("a page", body=b"<html>Please log in</html>", headers={"Content-Type": "text/html"}),
    Fault("no JSON", body=b'{"choices": [{"mess'),
    Fault("off the scale", body=completion("99"), heals=False),
    Fault("no choices", body={"id": "x", "choices": []}),
)
MISLABELLED = Fault("good, but called text", headers={"Content-Type": "text/plain"})


def chaos(asked: Asked, attempt: int) -> Fault | None:
    """The same for the same attempt at the same judgment, in whatever order they come."""
    draw = random.Random(f"{SEED} {asked} {attempt}")
    if draw.random() >= BROKEN:
        return MISLABELLED if draw.random() < BROKEN / len(FAULTS) else None
    return draw.choice(FAULTS)


def test_every_judgment_ends_as_it_should(tmp_path: Path) -> None:
    given, out = cases(tmp_path / "cases.jsonl", JUDGMENTS), tmp_path / "out.jsonl"
    with endpoint() as server:
        server.fault = chaos
        more = ("--timeout", "1", "--concurrency", "32")
        done = subprocess.run(
            [*COMMAND, *command(server, given, out, *more)],
            capture_output=True, text=True, env=environment(), timeout=1800,
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        assert done.returncode == 1, done.stderr
        found = judged(out)
        assert found.keys() == everything(JUDGMENTS)
        assert server.faults.keys() >= {fault.name for fault in FAULTS}
        failed = {a: j["reason"] for a, j in found.items() if j["status"] != "scored"}
        assert failed == dict.fromkeys(server.unhealed, "off_scale")
        scored = {a: j["score"] for a, j in found.items() if j["status"] == "scored"}
        assert scored == {a: right_score(a) for a in everything(JUDGMENTS) - failed.keys()}
        print(f"{JUDGMENTS} judgments, {server.requests} requests, faults: {dict(server.faults)}")

        # Nothing broken was kept, and the readable but useless replies are asked anew on demand.
        server.fault = lambda *_: None
        before = server.requests
        first = out.read_bytes()
        assert run(*command(server, given, out)).code == 1
        assert server.requests == before
        assert out.read_bytes() == first
        assert run(*command(server, given, out, "--retry-failed")).code == 0
        assert server.requests == before + len(failed)
        assert_all_right(out, JUDGMENTS)
