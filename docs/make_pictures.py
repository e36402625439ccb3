"""Makes the pictures in docs/pictures from real output: ``make pictures``."""

from __future__ import annotations

import re
from importlib.resources import as_file, files
from pathlib import Path

from rich.console import Console

from citemark.case_files import load_cases
from citemark.cli.table import Table
from citemark.judges import find_judge
from citemark.scoring import score_many

PICTURES = Path(__file__).parent / "pictures"
SHOWN = "heat-pump-before"


def main() -> None:
    """Draw the table of one bundled example."""
    console = Console(record=True, width=96, force_terminal=True, color_system="truecolor")
    judge = find_judge("embedded")
    table = Table(judge.trust, console)
    with as_file(files("citemark.examples") / "cases.jsonl") as path:
        cases = [case for case in load_cases(path) if case.id == SHOWN]
    for card in score_many(cases, judge=judge):
        table.write(card)
    table.close()
    svg = console.export_svg(title=f"citemark score cases.jsonl  ({SHOWN})", unique_id="citemark")
    PICTURES.mkdir(exist_ok=True)
    # The picture must not fetch fonts from anywhere; a monospaced one of the reader's will do.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    (PICTURES / "score.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
