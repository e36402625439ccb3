"""Bundled example cases, in the project's own words."""
