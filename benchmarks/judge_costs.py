"""What each mode of an LLM judge costs for one answer of 220 words that cites 7 sources.

    python benchmarks/judge_costs.py

Makes such a case and prints what ``citemark score --dry-run`` says in every mode. Nothing
is asked, and no key is needed.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from citemark import parse
from citemark.judges.options import MODES
from generated import answer

JUDGE = "openai:gpt-4.1-mini"


def main() -> None:
    """Print one line per mode."""
    rng = random.Random(3)
    text = answer(rng, words=220, sources=7)
    while len(parse(text).cited) < 7:
        text = answer(rng, words=220, sources=7)
    with tempfile.TemporaryDirectory() as folder:
        case = Path(folder) / "case.jsonl"
        case.write_text(json.dumps({"query": "How do heat pumps do in winter?", "answer": text}))
        store = {"CITEMARK_STORE": str(Path(folder) / "store.sqlite")}
        for mode in MODES:
            command = ["score", str(case), "--judge", JUDGE, "--mode", mode, "--dry-run"]
            subprocess.run(
                [sys.executable, "-m", "citemark", *command],
                env={**os.environ, **store},
                check=True,
            )


if __name__ == "__main__":
    main()
