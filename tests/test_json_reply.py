"""Sub-scores from a JSON reply: every level in its place, and no bad part spoils another."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemark.judges.llm.json_reply import Level, read_levels, read_panel, read_sheet
from citemark.judges.llm.json_scan import find_objects
from citemark.judges.llm.reading import Unreadable

IDS = ("R1", "R2")
FULL = '{"R1": {"level": 3, "sentences": [2, 5]}, "R2": {"level": 0, "sentences": []}}'
PRETTY = json.dumps(json.loads(FULL), indent=2)
METRICS = {"relevance": ("R1", "R2"), "influence": ("I1",)}

# The reply, and for R1 and R2 the level with its sentences.
READ: dict[str, list[tuple[str, dict[str, tuple[int, tuple[int, ...]]]]]] = {
    "where the object stands": [
        (reply, {"R1": (3, (2, 5)), "R2": (0, ())})
        for reply in (
            FULL,
            PRETTY,
            f"\ufeff{FULL}",
            f"  \n{FULL}\n  ",
            f"```json\n{PRETTY}\n```",
            f"```\n{FULL}\n```",
            f"```json\n{FULL}",
            f"Here are the levels:\n\n{FULL}\n\nI hope that this helps.",
            f"<think>Say {{'R1': 1}} or {{\"R1\": 1}}.</think>\n{FULL}",
            f'{{"R1": 1, "R2": 1}}\n</think>\n{FULL}',
            f'{{"R1": 1, "R2": 1}}\nOn reflection:\n{FULL}',
            f'The form is {{"R1": {{level: N}}}}. So: {FULL}',
            f'The form is {{"level": N, "sentences": [...]}}. So: {FULL}',
            f'A stray {{" and then {FULL}',
            f"{{{FULL}",
            f"{FULL}}}",
            f"[{FULL}]",
            f'{FULL}\nNote: {{"confidence": 2}} and {{}}.',
            f'{{"relevance": {FULL}}}',
            f'{{"scores": {FULL}, "note": "wrapped"}}',
            f"\ud800{FULL}\udfff",
            f"😀 {FULL}",
            FULL.replace(" ", ""),
            FULL.replace(" ", "\t\r\n"),
            FULL.replace('"R1"', '"\\u0052\\u0031"'),
        )
    ],
    "short forms and kinds of numbers": [
        ('{"R1": 3, "R2": 4}', {"R1": (3, ()), "R2": (4, ())}),
        ('{"R1": "3", "R2": {"level": "4"}}', {"R1": (3, ()), "R2": (4, ())}),
        ('{"R1": 3.0, "R2": {"level": 4.0}}', {"R1": (3, ()), "R2": (4, ())}),
        ('{"R1": {"level": 3}, "R2": 0}', {"R1": (3, ()), "R2": (0, ())}),
        ('{"R2": 4, "R1": 3, "R9": 9, "total": 7}', {"R1": (3, ()), "R2": (4, ())}),
        ('{"R1": {"why": "a \\"1\\" {", "level": 3}, "R2": 4}', {"R1": (3, ()), "R2": (4, ())}),
    ],
    "the last of equal keys wins": [
        ('{"R1": 1, "R1": 3, "R2": 4}', {"R1": (3, ()), "R2": (4, ())}),
        ('{"R1": "high", "R2": 4, "R1": {"level": 3}}', {"R1": (3, ()), "R2": (4, ())}),
        ('{"R1": {"level": 1, "level": 3}, "R2": 4}', {"R1": (3, ()), "R2": (4, ())}),
    ],
    "sentence numbers": [
        (f'{{"R1": {{"level": 3, "sentences": {given}}}, "R2": 4}}', {"R1": (3, kept)})
        for given, kept in (
            ("[0, 7]", (0, 7)),
            ("[2, 2]", (2, 2)),
            ('[1, -1, 2.5, "3", true, null, [4], {"n": 5}, 6]', (1, 6)),
            ("[1e2, 2.0, NaN, -0]", ()),
            (f"[1, {'9' * 5000}]", (1,)),
            ("2", ()),
            ("null", ()),
            ('"1, 2"', ()),
        )
    ],
}

REFUSED: dict[str, list[tuple[str, str]]] = {
    "levels off the scale": [
        (f'{{"R1": {level}, "R2": 4}}', "off_scale")
        for level in ("5", "-1", "20", "9" * 5000, '"5"', '{"level": 7}', '{"level": -3}', "10.0")
    ],
    "levels that are no whole numbers": [
        (f'{{"R1": {level}, "R2": 4}}', "not_a_score")
        for level in (
            "2.5", "3e0", "true", "false", "null", "NaN", "Infinity", "-Infinity", '"high"', '""',
            '"3/4"', '" 3"', '"03"', '"３"', '"\\u0033"', "[3]", "{}", '{"score": 3}',
            '{"level": null}', '{"level": [3]}', '{"level": {"level": 3}}', '{"level": true}',
        )
    ],
    "missing ids": [
        ('{"R1": 3}', "not_a_score"),
        ('{"R2": {"level": 3}}', "not_a_score"),
        ('{"r1": 3, "r2": 4}', "not_a_score"),
        ("{}", "not_a_score"),
        ('{"level": 3}', "not_a_score"),
        ('{"R1": 3} {"R2": 4}', "not_a_score"),
        (f'{{"a": {FULL}, "b": {FULL}}}', "not_a_score"),
    ],
    "no JSON": [
        (reply, "not_a_score")
        for reply in (
            "", " \n", "\ufeff", "14", "R1: 3, R2: 4", "{'R1': 3, 'R2': 4}", "{R1: 3, R2: 4}",
            '{"R1": 3, "R2": 4,}', '{"R1": 3 "R2": 4}', '{"R1": 03, "R2": 4}', '{"R1": +3, "R2": 4}',
            '{"R1": 3, "R2": 4]', '["R1", 3]', '{"R1": 3, // sure\n"R2": 4}', '{"R1": １, "R2": 4}',
            '{"R1": "a\nb", "R2": 4}', "[" * 100_000, "}" * 1000, '{"R1": abc', '{"R1": 3, "R2": 4\n```',
            "<think>" + FULL + "</think>",
        )
    ],
    "cut": [
        *((FULL[:length], "truncated") for length in range(1, len(FULL))),
        (f"```json\n{PRETTY[:40]}", "truncated"),
        (f'{FULL}\nBetter: {{"R1": {{"lev', "truncated"),
        (f"<think>{FULL}", "truncated"),
        ('{"R1": tru', "truncated"),
        ('{"R1": "a\\u00', "truncated"),
        ('{"a":' * 100_000, "truncated"),
        ('{"a":' + "[" * 100_000, "truncated"),
    ],
    "refusals": [
        (reply, "refused")
        for reply in (
            "I cannot evaluate this source.",
            "I'm sorry, but I can't help with that.",
            "<think>No.</think>I’m sorry, but I can’t help with that.",
            '{"error": "I cannot provide scores for this content."}',
            "Lo siento, no puedo ayudar con eso.",
            "很抱歉，我无法评分。",
        )
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "wanted"), [row for rows in READ.values() for row in rows], ids=lambda v: repr(v)[:50]
)
def test_levels_are_read(reply: str, wanted: Mapping[str, tuple[int, tuple[int, ...]]]) -> None:
    found = read_levels(reply, IDS)
    assert not isinstance(found, Unreadable), found
    assert list(found) == list(IDS)
    assert {i: (found[i].level, found[i].sentences) for i in wanted} == wanted
    for level in found.values():
        assert reply[slice(*level.span)] == str(level.level)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [row for rows in REFUSED.values() for row in rows],
    ids=lambda v: repr(v[:50]),
)
def test_what_holds_no_levels_is_refused_with_its_reason(reply: str, reason: str) -> None:
    found = read_levels(reply, IDS)
    assert isinstance(found, Unreadable), found
    assert found.reason == reason, found
    assert found.detail.endswith(".")
    assert len(found.detail) < 120


def test_the_span_is_that_of_the_value_that_counts() -> None:
    reply = '{"R1": 3, "R2": 3, "R1": {"level": 3, "sentences": [3], "level": "3"}}'
    found = read_levels(reply, IDS)
    assert not isinstance(found, Unreadable)
    assert found["R1"].span == (reply.rindex('"3"') + 1, reply.rindex('"3"') + 2)
    assert found["R2"].span == (16, 17)


def outcomes(panel: Mapping[str, Mapping[str, Level] | Unreadable]) -> dict[str, object]:
    return {
        metric: found.reason
        if isinstance(found, Unreadable)
        else [level.level for level in found.values()]
        for metric, found in panel.items()
    }


@pytest.mark.parametrize(
    ("influence", "wanted"),
    [
        ('{"I1": {"level": 4, "sentences": [1]}}', [4]),
        ('{"I1": 4}', [4]),
        ('{"I1": 9}', "off_scale"),
        ('{"I1": "high"}', "not_a_score"),
        ('{"I1": NaN}', "not_a_score"),
        ("{}", "not_a_score"),
        ("null", "not_a_score"),
        ("14", "not_a_score"),
        ("[4]", "not_a_score"),
    ],
)
def test_a_bad_metric_does_not_spoil_the_others(influence: str, wanted: object) -> None:
    for reply in (
        f'{{"relevance": {FULL}, "influence": {influence}}}',
        f'```json\n{{"influence": {influence},\n "relevance": {PRETTY}}}\n```',
        f'{{"metrics": {{"relevance": {FULL}, "influence": {influence}}}}}',
    ):
        panel = read_panel(reply, METRICS)
        assert not isinstance(panel, Unreadable)
        assert outcomes(panel) == {"relevance": [3, 0], "influence": wanted}
        sheet = read_sheet(f'{{"sources": {{"2": {reply.strip("`json")}}}}}', [2], METRICS)
        if "metrics" not in reply:
            assert not isinstance(sheet, Unreadable)
            assert outcomes(sheet[2]) == outcomes(panel)


def test_a_missing_metric_fails_alone() -> None:
    panel = read_panel(f'{{"relevance": {FULL}}}', METRICS)
    assert not isinstance(panel, Unreadable)
    assert outcomes(panel) == {"relevance": [3, 0], "influence": "not_a_score"}


@pytest.mark.parametrize("wrapped", [True, False])
def test_a_bad_source_does_not_spoil_the_others(wrapped: bool) -> None:
    good = f'{{"relevance": {FULL}, "influence": {{"I1": 2}}}}'
    reply = f'{{"1": {good}, "2": "none", "3": {{"relevance": {FULL}}}}}'
    sheet = read_sheet(f'{{"sources": {reply}}}' if wrapped else reply, [1, 2, 3, 4], METRICS)
    assert not isinstance(sheet, Unreadable)
    nothing = {"relevance": "not_a_score", "influence": "not_a_score"}
    assert {source: outcomes(panel) for source, panel in sheet.items()} == {
        1: {"relevance": [3, 0], "influence": [2]},
        2: nothing,
        3: {"relevance": [3, 0], "influence": "not_a_score"},
        4: nothing,
    }


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "not_a_score"),
        ("{}", "not_a_score"),
        ('{"other": 3}', "not_a_score"),
        ('{"relevance": {"R1": 3', "truncated"),
        ('{"sources": {"1": {"relevance": {"R1": 3', "truncated"),
        ("<think>hm", "truncated"),
        ("I'm sorry, but I can't help with that.", "refused"),
    ],
)
def test_a_reply_that_holds_nothing_fails_as_a_whole(reply: str, reason: str) -> None:
    for found in (read_panel(reply, METRICS), read_sheet(reply, [1, 2], METRICS)):
        assert isinstance(found, Unreadable)
        assert found.reason == reason


LEVELS = st.fixed_dictionaries(
    {"level": st.integers(0, 4), "sentences": st.lists(st.integers(0, 99), max_size=4)},
    optional={"why": st.text()},
)
PROSE = st.sampled_from(
    [
        "",
        "Here: ",
        "```json\n",
        '{"level": N} ',
        "{x} ",
        "<think>{</think>",
        '{"R1": 1}\n',
        "\ufeff",
    ]
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.dictionaries(st.sampled_from("123"), st.fixed_dictionaries({"a": LEVELS, "b": LEVELS})),
    PROSE,
    st.sampled_from([None, 0, 2]),
    st.booleans(),
)
def test_a_sheet_reads_back_with_every_digit_in_its_place(
    sheet: dict[str, dict[str, dict[str, object]]], prose: str, indent: int | None, ascii_only: bool
) -> None:
    whole = {n: {"m": levels} for n, levels in sheet.items()}
    reply = prose + json.dumps({"sources": whole}, indent=indent, ensure_ascii=ascii_only) + "\n```"
    found = read_sheet(reply, [int(n) for n in sheet], {"m": ("a", "b")})
    assert not isinstance(found, Unreadable), found
    for n, levels in sheet.items():
        panel = found[int(n)]["m"]
        assert not isinstance(panel, Unreadable)
        for identifier, given_level in levels.items():
            level = panel[identifier]
            assert level.level == given_level["level"]
            assert list(level.sentences) == given_level["sentences"]
            assert reply[slice(*level.span)] == str(level.level)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.dictionaries(st.text(), JSON, max_size=4), PROSE, st.sampled_from([None, 1]))
def test_any_object_is_found_whole(
    value: dict[str, object], prose: str, indent: int | None
) -> None:
    written = json.dumps(value, indent=indent)
    found = find_objects(prose + written + " so much for that").found[-1]
    assert (found.start, found.end) == (len(prose), len(prose) + len(written))
    assert found.members.keys() == value.keys()


PIECES = '{ } [ ] " , : \\ 1 -1 2.5 "R1" "R2" "level" "sentences" true null NaN {"R1":3,"R2":4} ```'


@settings(max_examples=1500, deadline=None, derandomize=True)
@given(
    st.text(st.characters(exclude_categories=()))
    | st.lists(st.sampled_from([*PIECES.split(" "), " ", "\n", "\ud800", "\x00", "x"])).map("".join)
)
def test_any_text_gives_levels_or_a_reason(text: str) -> None:
    found = read_levels(text, IDS)
    if isinstance(found, Unreadable):
        assert found.reason in ("refused", "truncated", "not_a_score", "off_scale")
        assert found.detail
    else:
        for level in found.values():
            assert level.level in range(5)
            assert text[slice(*level.span)] == str(level.level)
    read_panel(text, METRICS)
    read_sheet(text, [1, 2], METRICS)


@settings(max_examples=600, deadline=None, derandomize=True)
@given(st.text('{}[]",:\\ 1a\n', max_size=30))
def test_what_is_found_is_what_the_standard_parser_reads(text: str) -> None:
    for found in find_objects(text).found:
        parsed = json.loads(text[found.start : found.end])
        assert isinstance(parsed, dict)
        assert found.members.keys() == parsed.keys()


@pytest.mark.parametrize(
    "piece",
    ["[", "{", '{"', '{"a":', '{"a":[', "[{", '{"a":1}', '{"a":x', '"', "\\", '{\\"', '{"\\"', " ",
     "{ ", "1", "I cannot ", "<think>", "</think>", "\ud800"],
    ids=repr,
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_in_no_time(piece: str) -> None:
    started = time.process_time()
    text = piece * (1_000_000 // len(piece))
    read_levels(text, IDS)
    read_levels('{"R1": ' + text + "}", IDS)
    assert time.process_time() - started < 20


def test_a_deep_object_is_read_and_let_go() -> None:
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    found = read_levels(f'{{"R1": 3, "R2": {{"level": 4, "x": {deep}}}}}', IDS)
    assert not isinstance(found, Unreadable)
    assert found["R2"].level == 4
