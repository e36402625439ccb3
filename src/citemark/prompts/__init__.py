"""From a rubric, a case and a source to the exact text that a judge is sent."""

from __future__ import annotations

from citemark.prompts.rendering import (
    Prompt,
    panel_prompt,
    prompt,
    prompts_hash,
    sheet_prompt,
    system_message,
)

__all__ = [
    "Prompt",
    "panel_prompt",
    "prompt",
    "prompts_hash",
    "sheet_prompt",
    "system_message",
]
