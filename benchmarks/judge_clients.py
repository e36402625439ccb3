"""The clients that ``judge_throughput.py`` compares with, each run in a process of its own.

    python benchmarks/judge_clients.py CLIENT REQUESTS JUDGMENTS IN_FLIGHT URL

CLIENT is ``bare`` (aiohttp and nothing else), ``bare-uvloop`` (the same on uvloop's event loop),
``openevals``, ``ragas`` or ``deepeval``. REQUESTS holds one body of a chat-completions call in each
line. Prints one line of JSON: what was done in how many seconds, and the CPU time and memory that
it took, without importing and setting up.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import resource
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

SCORE = 14

Ask = Callable[[bytes], Awaitable[float]]
"""Has one request answered and returns the score."""


@asynccontextmanager
async def bare(url: str) -> AsyncIterator[Ask]:
    """What HTTP and JSON cost by themselves: the request is sent as it stands in the file."""
    import aiohttp

    headers = {"Content-Type": "application/json", "Authorization": "Bearer bench"}
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(headers=headers, connector=connector) as session:

        async def ask(line: bytes) -> float:
            async with session.post(f"{url}/chat/completions", data=line) as response:
                body = await response.json()
                return float(body["choices"][0]["message"]["content"])

        yield ask


@asynccontextmanager
async def openevals(url: str) -> AsyncIterator[Ask]:
    """An LLM as judge in openevals, on the OpenAI SDK."""
    client = import_module("openai").AsyncOpenAI(base_url=url, api_key="bench", max_retries=0)
    evaluator = import_module("openevals.llm").create_async_llm_as_judge(
        prompt=lambda **given: json.loads(given["inputs"])["messages"],
        judge=client,
        model="bench",
        continuous=True,
    )

    async def ask(line: bytes) -> float:
        result = await evaluator(inputs=line.decode(), outputs="")
        return float(result["score"])

    yield ask


@asynccontextmanager
async def ragas(url: str) -> AsyncIterator[Ask]:
    """A numeric metric of ragas, on instructor and the OpenAI SDK."""
    client = import_module("openai").AsyncOpenAI(base_url=url, api_key="bench", max_retries=0)
    llm = import_module("ragas.llms").llm_factory("bench", client=client)
    metric = import_module("ragas.metrics").NumericMetric(
        name="score", prompt="{text}", allowed_values=(1.0, 20.0)
    )

    async def ask(line: bytes) -> float:
        text = "\n\n".join(message["content"] for message in json.loads(line)["messages"])
        result = await metric.ascore(llm=llm, text=text)
        return float(result.value)

    yield ask


@asynccontextmanager
async def deepeval(url: str) -> AsyncIterator[Ask]:
    """GEval with its steps given, so that it asks once for each judgment."""
    metrics, cases = import_module("deepeval.metrics"), import_module("deepeval.test_case")
    model = import_module("deepeval.models").LocalModel(
        model="bench", api_key="bench", base_url=url
    )
    params = [cases.SingleTurnParams.INPUT, cases.SingleTurnParams.ACTUAL_OUTPUT]

    async def ask(line: bytes) -> float:
        system, user = (message["content"] for message in json.loads(line)["messages"])
        metric = metrics.GEval(
            name="score", evaluation_steps=[system], evaluation_params=params, model=model
        )
        case = cases.LLMTestCase(input="Which?", actual_output=user)
        await metric.a_measure(case, _show_indicator=False)
        return float(metric.score) * 10  # it asks for 0 to 10 and gives 0 to 1

    yield ask


CLIENTS = {
    "bare": bare,
    "bare-uvloop": bare,
    "openevals": openevals,
    "ragas": ragas,
    "deepeval": deepeval,
}
PACKAGES = {"bare": "aiohttp", "bare-uvloop": "aiohttp"}


async def measured(
    name: str, requests: Path, judgments: int, in_flight: int, url: str
) -> dict[str, Any]:
    """Have so many requests answered, always as many at once, and say what it took."""
    with requests.open("rb") as stream:
        async with CLIENTS[name](url) as ask:
            lines = itertools.islice((line.rstrip(b"\n") for line in stream), judgments)
            await _check(ask, requests)  # connects, and fills what is filled at first use
            cpu, start = time.process_time(), time.perf_counter()
            counts = await asyncio.gather(*(_worker(ask, lines) for _ in range(in_flight)))
            seconds = time.perf_counter() - start
            cpu = time.process_time() - cpu
    return {
        "judgments": sum(counts),
        "seconds": seconds,
        "cpu": cpu,
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "version": version(PACKAGES.get(name, name)),
    }


async def _check(ask: Ask, requests: Path) -> None:
    with requests.open("rb") as stream:
        score = await ask(next(stream).rstrip(b"\n"))
    if score != SCORE:
        raise SystemExit(f"got {score}, not {SCORE}")


async def _worker(ask: Ask, lines: Iterator[bytes]) -> int:
    count = 0
    for line in lines:
        await ask(line)
        count += 1
    return count


def main() -> None:
    """Run the client that was named."""
    name, requests, judgments, in_flight, url = sys.argv[1:]
    run = measured(name, Path(requests), int(judgments), int(in_flight), url)
    loop = import_module("uvloop").new_event_loop if name.endswith("uvloop") else None
    with asyncio.Runner(loop_factory=loop) as runner:
        print(json.dumps(runner.run(run)))


if __name__ == "__main__":
    main()
