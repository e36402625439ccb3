"""Question: what kind of thing a query asks for."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from citemark.judges.embedded.asked import Asked

_KINDS = {
    "who": r"\bwho(?:se|m)?\b",
    "when": r"\bwhen\b|\bwhat (?:year|date|time)\b|\bhow long\b",
    "where": r"\bwhere\b|\bwhich (?:country|city|state)\b",
    "amount": r"\bhow (?:much|many|old|far|tall|big|often)\b|\bwhat (?:percentage|number|age)\b",
    "how": r"\bhow (?:do|does|did|can|could|to|would|should|is|are|was|were|has|have)\b",
    "why": r"\bwhy\b|\breasons?\b|\bcauses?\b",
    "what_is": r"^what(?:'s| is| are| was| were)\b|\bdefin",
    "which": r"\bwhich\b",
    "closed": r"^(?:is|are|was|were|do|does|did|can|could|should|will|would|has|have|had)\b",
    "compare": r"\bvs\b|\bversus\b|\bcompar|\bdifferen(?:ce|t)|\bbetter\b|\bbetween\b|\badvantag",
    "list": r"\bexamples?\b|\bbest\b|\btop\b|\blist\b|\bways\b|\btypes?\b|\btips\b|\bsymptoms\b",
    "effect": r"\beffects?\b|\bimpact|\baffect|\binfluenc|\bimplication|\brole\b",
    "personal": r"\b(?:i|my|me|we|our)\b",
    "study": r"\bstud(?:y|ies)\b|\bresearch|\bliterature\b|\bpapers?\b|\bmethods?\b|\bmodels?\b",
    "given": r"\bif\b|\bgiven\b|\bassum|\bsuppose\b",
}
_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _KINDS.items()}
_PARTS = re.compile(r"\?|,|;|\band\b|\bor\b", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _kinds(query: str) -> dict[str, float]:
    plain = query.strip()
    found = {f"q_{name}": float(bool(p.search(plain))) for name, p in _PATTERNS.items()}
    found["q_mark"] = float("?" in plain)
    found["q_parts"] = float(np.log2(1 + len(_PARTS.findall(plain))))
    found["q_numbers"] = float(any(c.isdigit() for c in plain))
    return found


def question(query: str, asked: Asked) -> dict[str, float]:
    """The columns about the query alone."""
    weights = asked.weights if len(asked.words) else np.zeros(1, dtype=np.float32)
    return {
        **_kinds(query),
        "q_terms": float(np.log2(1 + len(asked.words))),
        "q_rarity": float(weights.mean()),
        "q_rarest": float(weights.max()),
        "q_focus": float(np.sqrt(((asked.vectors.sum(0)) ** 2).sum()) / max(1, len(asked.words))),
    }
