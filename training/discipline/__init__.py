"""Metamorphic tests of a judge: what a change of an answer may and may not do to its scores."""
