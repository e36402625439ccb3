"""The report: results as one page that opens anywhere, with nothing to install or load."""
