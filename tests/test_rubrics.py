"""The rubrics say what the specification says: same structure, nothing dropped."""

from __future__ import annotations

import itertools
import re
import warnings
from pathlib import Path

import pytest

import citemark
from citemark.errors import RubricError
from citemark.notices import CitemarkNotice
from citemark.rubrics import DEFAULT_METRICS, EXTRA_METRICS, Rubric, load_rubric, rubric, score_of

ORIGINALS = Path(__file__).parents[2] / "shared" / "rubrics"
FILE_OF = {name: "subjective_count" if name == "count" else name for name in DEFAULT_METRICS}

needs_originals = pytest.mark.skipif(
    not ORIGINALS.is_dir(), reason="the original rubrics (../shared/rubrics) are not here"
)


def original(name: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CitemarkNotice)
        text = load_rubric(ORIGINALS / f"{FILE_OF[name]}.txt").text
    assert text is not None
    return text


def section(text: str, start: str, end: str) -> str:
    return text[text.index(start) + len(start) : text.index(end)]


def test_score_is_the_sum_and_zero_becomes_one() -> None:
    for levels in itertools.product(range(5), repeat=5):
        expected = sum(levels) if any(levels) else 1
        assert score_of(levels) == expected
        assert 1 <= score_of(levels) <= 20


@needs_originals
@pytest.mark.parametrize("name", DEFAULT_METRICS)
def test_subscores_have_the_original_ids_and_names(name: str) -> None:
    listed = section(original(name), "Sub-scores (0-4 each):", "Anchor Bands")
    wanted = re.findall(r"^([A-Z]\d)\. ([^(\n]+?)(?: \(.*)?$", listed, re.MULTILINE)
    assert [(s.id, s.name) for s in rubric(name).subscores] == wanted
    assert len(wanted) == 5


@needs_originals
@pytest.mark.parametrize("name", DEFAULT_METRICS)
def test_every_level_of_every_subscore_is_there(name: str) -> None:
    definitions = original(name).split("Sub-score Definitions (0-4):")[1]
    wanted = re.findall(r"^([0-4]) = \S", definitions, re.MULTILINE)
    assert wanted == ["0", "1", "2", "3", "4"] * 5
    for subscore in rubric(name).subscores:
        assert len(subscore.levels) == 5
        assert len(set(subscore.levels)) == 5
        assert all(subscore.levels)


@needs_originals
@pytest.mark.parametrize("name", DEFAULT_METRICS)
def test_bands_steps_exclusions_and_output_rule_are_complete(name: str) -> None:
    text, given = original(name), rubric(name)
    bands = re.findall(r"^(\d+)-(\d+)\s*: \S", text, re.MULTILINE)
    assert [(str(b.low), str(b.high)) for b in given.bands] == bands
    steps = section(text, "Evaluation Steps:", "Sub-score Definitions")
    points = re.split(r"^\d+\. ", steps, flags=re.MULTILINE)[1:]
    assert [len(step.points) for step in given.steps] == [p.count("\n   - ") for p in points]
    exclusions = text.partition("Exclusions (Important):")[2].partition("Example:")[0]
    assert len(given.exclusions) == exclusions.count("\n- ")
    rule = section(text, "Important Output Rule:", "Evaluation Steps:")
    assert len(given.output_rule) == rule.count("\n- ")
    assert given.title == re.findall(r"Criteria:\s+(.+?) \(1-20\)", text)[0]


@needs_originals
@pytest.mark.parametrize("name", DEFAULT_METRICS)
def test_the_wording_is_the_projects_own(name: str) -> None:
    """No sentence, level or band meaning is taken over from the original word by word."""
    theirs = {line.strip(" -").lower() for line in re.split(r"\n|\d = ", original(name))}
    given = rubric(name)
    ours = [level for s in given.subscores for level in s.levels]
    ours += [*given.exclusions, *given.output_rule, given.definition, given.is_not, given.method]
    ours += [step.text for step in given.steps]
    assert not [line for line in ours if line and line.lower() in theirs]


@pytest.mark.parametrize("name", DEFAULT_METRICS + EXTRA_METRICS)
def test_every_bundled_rubric_is_whole(name: str) -> None:
    given = rubric(name)
    assert given.name == name
    assert given.default is (name in DEFAULT_METRICS)
    assert len(given.subscores) == 5
    assert [(b.low, b.high) for b in given.bands] == [
        (1, 3), (4, 7), (8, 11), (12, 15), (16, 18), (19, 20)
    ]  # fmt: skip
    assert all(b.name and b.meaning for b in given.bands)
    assert given.definition
    assert given.summary
    assert given.method
    assert len(given.scale) == 5
    assert len(given.output_rule) == 2
    assert "Source [1]" in given.definition
    assert re.fullmatch(r"\w+@[0-9a-f]{8}", given.signature)
    scales = [step.points for step in given.steps if step.points[:1] and "0:" in step.points[0]]
    assert scales == [tuple(f"{n}: {label}" for n, label in enumerate(given.scale))]


def test_ids_are_never_shared_between_rubrics() -> None:
    ids = [i for name in DEFAULT_METRICS + EXTRA_METRICS for i in rubric(name).ids]
    assert len(ids) == len(set(ids)) == 35


def test_a_score_lies_in_its_band() -> None:
    names = [rubric("relevance").band(score) for score in range(1, 21)]
    assert names[0] == names[2] == "almost irrelevant"
    assert names[3] == "weakly related"
    assert names[13] == "highly relevant"
    assert names[19] == "near-critical source"
    assert None not in names


def test_extras_stay_out_of_the_five_and_of_overall() -> None:
    card = citemark.score(query="q", answer="A fact of note [1].")
    assert list(card[1].scores) == list(DEFAULT_METRICS)


@needs_originals
@pytest.mark.parametrize("name", DEFAULT_METRICS)
def test_original_files_load_as_text_rubrics(name: str) -> None:
    path = ORIGINALS / f"{FILE_OF[name]}.txt"
    broken = "â€" in path.read_text(encoding="utf-8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        given = load_rubric(path)
    assert given.name == name
    assert given.text is not None
    assert "â€" not in given.text
    assert len(given.bands) == 6
    notices = [w for w in caught if issubclass(w.category, CitemarkNotice)]
    assert len(notices) == (1 if broken else 0)
    if not broken:
        assert given.text == path.read_text(encoding="utf-8")


def test_repair_touches_broken_characters_only(tmp_path: Path) -> None:
    good = "“Good” quotes ‘stay’ … as – they are, ½ and ﬁ too."
    path = tmp_path / "mine.txt"
    path.write_text(f"{good}\nthe userâ€™s {{query}} {{answer}} Source [1]\n", encoding="utf-8")
    with pytest.warns(CitemarkNotice, match="mine.txt: broken characters were repaired"):
        given = load_rubric(path)
    assert given.text == f"{good}\nthe user’s {{query}} {{answer}} Source [1]\n"


def own_toml(**changes: str) -> str:
    subscores = "".join(
        f'[[subscores]]\nid = "X{n}"\nname = "Part {n}"\nlevels = ["a", "b", "c", "d", "e"]\n'
        for n in range(1, 6)
    )
    parts = {
        "head": 'name = "mine"\ntitle = "Mine"\ndefinition = "How much Source [1] shines."\n',
        "bands": '[[bands]]\nlow = 1\nhigh = 20\nname = "all"\n',
        "subscores": subscores,
    }
    return "".join({**parts, **changes}.values())


def test_own_toml_rubric_loads(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(own_toml(), encoding="utf-8")
    given = load_rubric(path)
    assert given.ids == ("X1", "X2", "X3", "X4", "X5")
    assert given.band(7) == "all"


def test_the_hash_follows_the_content_not_the_layout(tmp_path: Path) -> None:
    def loaded(text: str) -> Rubric:
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return load_rubric(path)

    plain = loaded(own_toml())
    assert loaded("# a comment\n\n" + own_toml()).hash == plain.hash
    assert loaded(own_toml().replace("shines", "glows")).hash != plain.hash


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "mine.toml: not valid TOML"),
        (own_toml(head='title = "t"\ndefinition = "d"\n'), '"name" must be'),
        (own_toml().replace('"mine"', '"overall"'), "no column of the results"),
        (own_toml(head='name = "mine"\ndefinition = "d"\n'), '"title" is missing'),
        (own_toml(bands='[[bands]]\nlow = 1\nhigh = 19\nname = "x"\n'), "cover 1 to 20"),
        (own_toml(bands='[[bands]]\nlow = 1\nname = "x"\n'), '"low", "high" and "name"'),
        (own_toml().replace('"X5"', '"X4"'), "five sub-scores with five ids"),
        (own_toml().replace(', "e"]', "]"), 'needs 5 "levels"'),
        ("colour = 1\n" + own_toml(), "unknown key 'colour'"),
        ("steps = [1]\n" + own_toml(), r"\[\[steps\]\]"),
    ],
)
def test_a_bad_toml_rubric_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RubricError, match=message):
        load_rubric(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("mine.txt", b"no fields", "needs {query}, {answer}, Source"),
        ("mine.txt", b"\xff\xfe", "not UTF-8"),
        ("123.txt", b"{query} {answer} Source [1]", "name the file after its metric"),
    ],
)
def test_a_bad_text_rubric_says_what_is_wrong(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(RubricError, match=re.escape(message)):
        load_rubric(path)


def test_unknown_names_list_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match="there are: relevance, influence"):
        rubric("charm")
    with pytest.raises(RubricError, match="cannot be read"):
        load_rubric(tmp_path / "missing.toml")
