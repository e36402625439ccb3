"""The modes: what is asked in each, and what becomes of the reply, against a real server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import citemark
from citemark import JudgeError, Judgment, Scorecard, UsageError
from citemark.judges.llm.endpoint import Endpoint, Provider
from citemark.judges.llm.judge import LLMJudge
from citemark.judges.llm.patience import Patience
from citemark.judges.llm.units import Asking
from citemark.rubrics import DEFAULT_METRICS, load_rubric, rubric
from citemark.store import Store
from loopback import Body, Loopback, completion, levels, token, user_message
from running import A

R = rubric("relevance").ids
ONE = {"query": "Why?", "answer": "Because it rains [1]. It pours [2]. It snows [1]."}
CLASSIC = """Does Source [1] fit? The <query> and “answer” below are data; {curly} stays.
Query: {query}
Answer: {answer}
Only the sentences of Source [1] count. Score Source [1] with one integer from 1 to 20:
"""


def ask(endpoint: Loopback, case: dict[str, Any] = ONE, **options: Any) -> Scorecard:
    settings: dict[str, Any] = {"metrics": ["relevance"], "only": [1], "first_wait": 0.01}
    return citemark.score(case, judge="openai:m", base_url=endpoint.url, **(settings | options))


def weighing(endpoint: Loopback, tmp_path: Path, mode: str, **asking: Any) -> Judgment:
    """One judgment by an endpoint of which it is known that it gives token probabilities."""
    provider = Provider("test", "Test", endpoint.url, prefill=asking.pop("way", None))
    judge = LLMJudge(
        "test:m",
        Endpoint(provider, "m"),
        Asking(mode=mode, logprobs=True, prefill=provider.prefill is not None, **asking),
        Store(tmp_path / "weighing.sqlite"),
        Patience(retries=1, first_wait=0.01),
    )
    card = citemark.score(ONE, judge=judge, metrics=["relevance"], only=[1])
    judge.close()
    return card[1].relevance


def sent(text: str, tokens: Sequence[Body]) -> Any:
    return lambda _: completion(text, logprobs=list(tokens))


# subscores


def test_subscores_are_summed_here(endpoint: Loopback) -> None:
    reply = levels(R, [3, 2, 0, 4, 1], R1=[0], R2=[2, 0, 0])
    endpoint.respond = lambda _: json.dumps(reply)
    judged = ask(endpoint)[1].relevance
    assert judged.score == judged.expected == 10
    assert judged.subscores == dict(zip(R, [3, 2, 0, 4, 1], strict=True))
    assert judged.evidence is not None
    assert judged.evidence["R1"] == (0,)
    assert judged.evidence["R2"] == (0, 2)
    assert judged.band == rubric("relevance").band(10)
    [body] = endpoint.asked
    assert body["temperature"] == 0
    assert [m["role"] for m in body["messages"]] == ["system", "user"]
    schema = body["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["required"] == list(R)
    assert schema["schema"]["additionalProperties"] is False


def test_all_zero_is_one(endpoint: Loopback) -> None:
    endpoint.respond = lambda _: json.dumps(levels(R, [0] * 5))
    assert ask(endpoint)[1].relevance.score == 1


def test_no_schema_is_sent_where_none_is_wanted(endpoint: Loopback) -> None:
    text = json.dumps(levels(R, [1] * 5))
    endpoint.respond = lambda _: f"Here you are:\n```json\n{text}\n```"
    assert ask(endpoint, schema=False)[1].relevance.score == 5
    assert "response_format" not in endpoint.asked[0]


def test_stray_evidence_is_left_out_and_reported(endpoint: Loopback) -> None:
    endpoint.respond = lambda _: json.dumps(levels(R, [3] * 5, R1=[0, 1], R4=[99]))
    card = ask(endpoint)
    judged = card[1].relevance
    assert judged.score == 15
    assert judged.evidence is not None
    assert judged.evidence["R1"] == (0,)
    assert judged.evidence["R4"] == ()
    strays = [p for p in card.problems if p.code == "stray_evidence"]
    assert [("R1" in p.message, "does not cite" in p.message) for p in strays].count(
        (True, True)
    ) == 1
    assert any("R4" in p.message and "does not exist" in p.message for p in strays)
    there = next(p for p in strays if "R1" in p.message)
    assert ONE["answer"][there.start : there.end].startswith("It pours")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (completion(""), "not_a_score"),
        (completion('{"R1": {"level": 3'), "truncated"),
        (completion('{"R1": 3}'), "not_a_score"),
        (completion(json.dumps(levels(R, [5, 0, 0, 0, 0]))), "off_scale"),
        (completion(json.dumps(levels(R, [1] * 5)), finish="length"), "truncated"),
        (completion("", refusal="I cannot."), "refused"),
        (completion("", finish="content_filter"), "refused"),
    ],
)
def test_a_bad_reply_is_no_number_and_not_asked_again(
    endpoint: Loopback, reply: Body, reason: str
) -> None:
    endpoint.respond = lambda _: reply
    for _ in range(2):
        judged = ask(endpoint)[1].relevance
        assert (judged.status, judged.reason) == ("failed", reason)
        assert (judged.score, judged.expected, judged.subscores, judged.evidence) == (None,) * 4
    assert len(endpoint.asked) == 1


def in_pieces(text: str, level: str) -> list[Body]:
    """A reply's tokens, character by character, where a digit after the sign is uncertain."""
    return [
        token(c, 0.6, _4=0.3, _12=0.1) if text[: i + 1].endswith(level) else token(c)
        for i, c in enumerate(text)
    ]


@pytest.mark.parametrize("fence", [("", ""), ("```json\n", "\n```"), ("🌧", " [2] 3")])
def test_expected_is_the_sum_of_the_digits_expectations(
    endpoint: Loopback, tmp_path: Path, fence: tuple[str, str]
) -> None:
    text = json.dumps(levels(R, [2] * 5, R2=[2], R3=[0, 2]))
    tokens = in_pieces(text, '"level": 2')
    tokens = [token(fence[0]), *tokens, token(fence[1])] if fence[0] else tokens
    endpoint.respond = sent(text, tokens)
    judged = weighing(endpoint, tmp_path, "subscores")
    assert judged.score == 10
    # Of 0.9 that can be a level, two thirds are 2 and one third is 4; 12 is none.
    assert judged.expected == pytest.approx(5 * (2 * 0.6 + 4 * 0.3) / 0.9, abs=1e-3)
    assert endpoint.asked[0]["top_logprobs"] == 20


def test_tokens_that_do_not_fit_the_text_give_no_expectation(
    endpoint: Loopback, tmp_path: Path
) -> None:
    text = json.dumps(levels(R, [2] * 5))
    endpoint.respond = sent(text, [token("something"), token("else")])
    judged = weighing(endpoint, tmp_path, "subscores")
    assert judged.expected == judged.score == 10


# direct


def test_direct(endpoint: Loopback) -> None:
    endpoint.respond = lambda _: "The source matters.\n\n**Score: 14/20**"
    judged = ask(endpoint, mode="direct")[1].relevance
    assert (judged.score, judged.expected) == (14, 14.0)
    assert (judged.subscores, judged.evidence, judged.samples, judged.coverage) == (None,) * 4
    assert "response_format" not in endpoint.asked[0]


def own_rubric(folder: Path) -> Path:
    path = folder / "fit.txt"
    path.write_text(CLASSIC, encoding="utf-8")
    return path


def test_a_text_rubric_is_exactly_the_classic_call(endpoint: Loopback, tmp_path: Path) -> None:
    path = own_rubric(tmp_path)
    card = ask(endpoint, A, mode="direct", metrics=None, rubrics=[load_rubric(path)], only=[2])
    [body] = endpoint.asked
    text = path.read_text(encoding="utf-8")
    text = text.replace("{query}", A["query"]).replace("Source [1]", "Source [2]")
    text = text.replace("{answer}", A["answer"])
    assert body.pop("messages") == [{"role": "user", "content": text}]
    assert set(body) == {"model", "max_tokens", "temperature"}
    assert card[2].fit.score == 10


@pytest.mark.parametrize("mode", ["subscores", "panel", "sheet"])
def test_a_text_rubric_gives_no_sub_scores(endpoint: Loopback, tmp_path: Path, mode: str) -> None:
    own = load_rubric(own_rubric(tmp_path))
    with pytest.raises(UsageError, match="--mode direct"):
        ask(endpoint, mode=mode, metrics=None, rubrics=[own])
    assert not endpoint.asked


# weighted


def test_weighted_with_numbers_of_one_token(endpoint: Loopback, tmp_path: Path) -> None:
    endpoint.respond = sent("14", [token("14", 0.5, _15=0.25, _3=0.125, _1=0.0625, x=0.0625)])
    judged = weighing(endpoint, tmp_path, "weighted")
    # A digit alone stands for itself where numbers are one token.
    seen = 0.9375
    expected = (14 * 0.5 + 15 * 0.25 + 3 * 0.125 + 0.0625) / seen
    assert judged.expected == pytest.approx(expected, abs=1e-3)
    assert (judged.score, judged.coverage) == (int(expected + 0.5), seen)
    assert judged.subscores is None
    assert len(endpoint.asked) == 1
    assert endpoint.asked[0]["logprobs"] is True


def test_weighted_with_digits(endpoint: Loopback, tmp_path: Path) -> None:
    endpoint.respond = sent("17", [token("1", 0.8, _8=0.1, _2=0.1), token("7", 0.5, _6=0.5)])
    judged = weighing(endpoint, tmp_path, "weighted")
    expected = (17 * 0.4 + 16 * 0.4 + 8 * 0.1) / 0.9  # how 2 goes on is not known
    assert judged.expected == pytest.approx(expected, abs=1e-3)
    assert judged.coverage == pytest.approx(0.9)


@pytest.mark.parametrize("way", ["plain", "continue_final_message"])
def test_branches_are_asked_for_where_that_is_possible(
    endpoint: Loopback, tmp_path: Path, way: str
) -> None:
    def respond(body: Body) -> Body:
        if body["messages"][-1]["role"] == "assistant":
            top = [token("0", 0.75, _=0.25)]
            return completion("0", logprobs=top, finish="length")
        tokens = [token("Score: "), token("1", 0.7, _8=0.1, _2=0.2), token("7", 0.5, _6=0.5)]
        return completion("Score: 17", logprobs=tokens)

    endpoint.respond = respond
    judged = weighing(endpoint, tmp_path, "weighted", way=way)
    first, branch = endpoint.asked
    assert branch["messages"][:-1] == first["messages"]
    assert branch["messages"][-1]["content"] == "Score: 2"
    assert branch["max_tokens"] == 1
    assert ("continue_final_message" in branch) == (way != "plain")
    expected = 17 * 0.35 + 16 * 0.35 + 8 * 0.1 + 20 * 0.15 + 2 * 0.05
    assert judged.expected == pytest.approx(expected, abs=1e-3)
    assert judged.coverage == 1.0
    assert weighing(endpoint, tmp_path, "weighted", way=way) == judged
    assert len(endpoint.asked) == 2


def test_too_little_coverage_is_no_score(endpoint: Loopback, tmp_path: Path) -> None:
    endpoint.respond = sent("14", [token("14", 0.4, I=0.35, The=0.25)])
    judged = weighing(endpoint, tmp_path, "weighted")
    assert (judged.status, judged.reason, judged.coverage) == ("failed", "not_a_score", None)


@pytest.mark.parametrize("given", [None, [], {"content": []}, {"content": [{"token": "14"}]}])
def test_without_probabilities_weighted_stops(endpoint: Loopback, given: Any) -> None:
    reply = completion("14")
    reply["choices"][0]["logprobs"] = given
    endpoint.respond = lambda _: reply
    with pytest.raises(JudgeError, match="--mode sampled") as caught:
        ask(endpoint, mode="weighted")
    assert caught.value.exit_code == 3
    assert len(endpoint.asked) == 1


def test_a_provider_without_probabilities_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-none")
    with pytest.raises(JudgeError, match="--mode sampled"):
        citemark.score(ONE, judge="anthropic:m", mode="weighted")


# sampled


def test_sampled(endpoint: Loopback) -> None:
    replies = iter(["3", "4", "4", "3"])
    endpoint.respond = lambda _: next(replies)
    judged = ask(endpoint, mode="sampled", samples=4, concurrency=1, seed=5)[1].relevance
    assert sorted(judged.samples or ()) == [3, 3, 4, 4]
    assert (judged.expected, judged.score) == (3.5, 4)  # half up
    assert {body["temperature"] for body in endpoint.asked} == {1}
    assert sorted(body["seed"] for body in endpoint.asked) == [5, 6, 7, 8]
    assert len({user_message(body) for body in endpoint.asked}) == 1
    more = iter(["20", "20"])
    endpoint.respond = lambda _: next(more)
    wider = ask(endpoint, mode="sampled", samples=6, seed=5)[1].relevance
    assert wider.samples is not None
    assert wider.samples[:4] == judged.samples
    assert wider.samples[4:] == (20, 20)


def test_one_unreadable_sample_fails_the_judgment(endpoint: Loopback) -> None:
    replies = iter(["3", "12-14", "4"])
    endpoint.respond = lambda _: next(replies)
    judged = ask(endpoint, mode="sampled", samples=3)[1].relevance
    assert (judged.status, judged.reason, judged.samples) == ("failed", "not_a_score", None)


# panel and sheet


def whole_panel(**bad: Any) -> dict[str, Any]:
    good = {name: levels(rubric(name).ids, [2] * 5) for name in DEFAULT_METRICS}
    return good | bad


def test_panel_is_one_call_for_a_source(endpoint: Loopback) -> None:
    broken = whole_panel(influence={"I1": {"level": 9}}, count=None)
    endpoint.respond = lambda _: json.dumps(broken)
    card = ask(endpoint, A, metrics=None, only=None, mode="panel")
    assert len(endpoint.asked) == 2
    for source in (1, 2):
        scores = {name: judged.score for name, judged in card[source].scores.items()}
        assert scores == {
            "relevance": 10, "influence": None, "uniqueness": 10, "diversity": 10, "count": None,
        }  # fmt: skip
        assert card[source].influence.reason == "off_scale"
        assert card[source].count.reason == "not_a_score"
        assert card[source].overall is None
    assert card[3].relevance.status == "not_cited"


def test_sheet_is_one_call_for_a_case(endpoint: Loopback) -> None:
    reply = {"sources": {"1": whole_panel(), "2": whole_panel(count={"C1": 1})}}
    endpoint.respond = lambda _: json.dumps(reply)
    card = ask(endpoint, A, metrics=None, only=None, mode="sheet")
    assert len(endpoint.asked) == 1
    assert card[1].overall == 10.0
    assert [card[2].scores[name].status for name in DEFAULT_METRICS] == ["scored"] * 4 + ["failed"]
    schema = endpoint.asked[0]["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]["sources"]["properties"]) == ["1", "2"]
    assert endpoint.asked[0]["max_tokens"] >= 10 * 5 * 60


@pytest.mark.parametrize("mode", ["panel", "sheet"])
def test_a_whole_reply_that_is_bad_fails_all(endpoint: Loopback, mode: str) -> None:
    endpoint.respond = lambda _: "I would say 14."
    card = ask(endpoint, metrics=None, only=None, mode=mode)
    assert {j.reason for source in card for j in source.scores.values()} == {"not_a_score"}
    assert card.failed == 10
