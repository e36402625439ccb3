"""From a rubric, a case and a source to the exact text that a judge is sent."""

from __future__ import annotations

from citemark.prompts.rendering import MODES, prompt, system_message

__all__ = ["MODES", "prompt", "system_message"]
