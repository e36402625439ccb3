"""Files are written whole or not at all, and what a killed run left is taken away."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from citemark.whole_files import written_whole
from running import COMMAND, A, environment, file, run


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


WRITER = """
import sys, time
from pathlib import Path
from citemark.whole_files import written_whole
with written_whole(Path(sys.argv[1])) as stream:
    stream.write(b"half")
    stream.flush()
    print("begun", flush=True)
    time.sleep(60)
"""


def writer(target: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    return child


def ended(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.communicate(timeout=20)


def test_what_a_killed_run_left_goes_with_the_next(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    for _ in range(2):
        ended(writer(target))
    other = writer(tmp_path / "out.jsonl.csv")
    ended(other)
    assert len(names(tmp_path)) == 2  # the second took away what the first had left
    with written_whole(target) as stream:
        stream.write(b"whole")
    left = names(tmp_path)
    assert target.read_bytes() == b"whole"
    assert [name for name in left if "csv" not in name] == ["out.jsonl"]
    assert len(left) == 2  # what belongs to another file is for its next run to take away


def test_what_a_living_run_writes_stays(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    child = writer(target)
    try:
        with written_whole(target) as stream:
            stream.write(b"mine")
        assert target.read_bytes() == b"mine"
        assert len(names(tmp_path)) == 2
    finally:
        ended(child)


def test_files_of_other_programs_stay(tmp_path: Path) -> None:
    for name in (
        ".out.jsonl.swp",
        ".out.jsonl.abcdefgh",
        ".out.jsonl.ABCDEFGH.part",
        ".out.jsonl.part",
    ):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / ".out.jsonl.linklink.part").symlink_to(tmp_path / "nowhere")
    (tmp_path / ".out.jsonl.folderxx.part").mkdir()
    before = names(tmp_path)
    with written_whole(tmp_path / "out.jsonl") as stream:
        stream.write(b"x")
    assert names(tmp_path) == sorted([*before, "out.jsonl"])


def test_many_at_once_do_not_take_each_others_away(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom citemark.whole_files import written_whole\n"
        "for n in range(60):\n"
        "    with written_whole(Path(sys.argv[1])) as stream:\n"
        "        stream.write(sys.argv[2].encode() * 1000)\n"
    )
    target = tmp_path / "out.jsonl"
    children = [
        subprocess.Popen([sys.executable, "-c", script, str(target), letter]) for letter in "abc"
    ]
    assert [child.wait(60) for child in children] == [0, 0, 0]
    assert names(tmp_path) == ["out.jsonl"]
    assert target.read_bytes() in [letter * 1000 for letter in (b"a", b"b", b"c")]


def test_a_run_that_was_killed_leaves_nothing_for_long(tmp_path: Path) -> None:
    path = file(tmp_path, "many.jsonl", *({**A, "id": f"c{n}"} for n in range(3000)))
    child = subprocess.Popen(
        [
            *COMMAND,
            "score",
            str(path),
            "--judge",
            "embedded:fast",
            "-o",
            str(tmp_path / "out.jsonl"),
        ],
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    give_up = time.monotonic() + 30
    while len(names(tmp_path)) < 2 and time.monotonic() < give_up:
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait(20)
    assert len(names(tmp_path)) == 2
    few = file(tmp_path, "few.jsonl", A)
    assert run("score", few, "-o", tmp_path / "out.jsonl").code == 0
    assert names(tmp_path) == ["few.jsonl", "many.jsonl", "out.jsonl", "out.jsonl.manifest.json"]
