"""LLM judges: any model behind an OpenAI-compatible endpoint."""
