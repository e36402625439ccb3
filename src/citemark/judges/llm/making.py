"""Making an LLM judge from a spec and options."""

from __future__ import annotations

from citemark.errors import UsageError
from citemark.judges.llm.endpoint import Endpoint, find_endpoint
from citemark.judges.llm.gguf import LocalModel
from citemark.judges.llm.judge import LLMJudge
from citemark.judges.llm.local import find_gguf
from citemark.judges.llm.patience import Patience, Sources
from citemark.judges.llm.units import Asking
from citemark.judges.options import MODES, JudgeOptions
from citemark.store import Store, path_of

DEFAULT_MODE = "subscores"


def make_llm_judge(spec: str, options: JudgeOptions) -> LLMJudge:
    """The judge that a spec such as ``openai:MODEL`` or ``gguf:PATH`` stands for."""
    mode = options.mode or DEFAULT_MODE
    if mode not in MODES:
        raise UsageError(f'no mode "{mode}"; there are: {", ".join(MODES)}')
    model: LocalModel | None = None
    if spec.startswith("gguf:"):
        if options.base_url:
            raise UsageError(
                "--base-url does not go with a gguf: judge, which runs in this process"
            )
        model = LocalModel(find_gguf(spec))
        endpoint = model.endpoint
    else:
        needs_key = options.ask and not options.offline
        endpoint = find_endpoint(spec, options.base_url, needs_key=needs_key)
    store = Store(path_of(options.store))
    return LLMJudge(
        spec,
        endpoint,
        _asking(mode, endpoint, options),
        store,
        Patience(
            concurrency=1 if model else options.concurrency,
            timeout=options.timeout if not model else max(options.timeout, 600.0),
            deadline=options.deadline or max(600.0, options.timeout * (options.retries + 1)),
            retries=options.retries,
            first_wait=options.first_wait,
            rpm=options.rpm,
            tpm=options.tpm,
        ),
        Sources(offline=options.offline, fresh=options.fresh),
        retry_failed=options.retry_failed and not options.offline,
        custom_url=options.base_url is not None,
        local=model,
        budget=options.budget,
    )


def _asking(mode: str, endpoint: Endpoint, options: JudgeOptions) -> Asking:
    temperature = options.temperature
    if temperature is None:
        temperature = 1.0 if mode == "sampled" else 0.0
    provider = endpoint.provider
    return Asking(
        mode=mode,
        temperature=None if isinstance(temperature, str) else float(temperature),
        seed=options.seed,
        samples=options.samples,
        schema=options.schema and provider.schema,
        # Of an endpoint that is not known, only ask for what the mode cannot do without.
        logprobs=provider.logprobs and options.logprobs and not _is_unknown(endpoint, options),
        prefill=provider.prefill is not None,
        grammar=provider.grammar,
    )


def _is_unknown(endpoint: Endpoint, options: JudgeOptions) -> bool:
    """Whether the endpoint is any server, and not of a kind that a preset describes."""
    return options.base_url is not None and endpoint.provider.name == "openai"
