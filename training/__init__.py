"""Fitting and measuring the embedded judge; not part of the installed package."""
