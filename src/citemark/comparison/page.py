"""A comparison as one HTML file that opens anywhere, with nothing to load."""

from __future__ import annotations

from string import Template

from citemark._version import __version__
from citemark.comparison.comparing import Comparison
from citemark.comparison.packing import packed
from citemark.comparison.plain import comparison_data
from citemark.comparison.static import static_comparison
from citemark.comparison.wording import judged_by, summary
from citemark.report.encoding import embedded_json
from citemark.report.inlining import asset, csp_hash, joined_script
from citemark.report.static import text

_STYLES = ("tokens", "base", "answer", "report", "compare", "print")
_QUIET = "#comparison,.masthead-tools{display:none}"
"""Hides what only works with scripts, when there are none."""


def comparison_page(comparison: Comparison, names: tuple[str, str]) -> str:
    """The whole page; everything that comes from a case is escaped."""
    styles = "\n".join(asset(f"styles/{name}.css") for name in _STYLES)
    script = joined_script("compare-page")
    data = comparison_data(comparison, names)
    signatures = dict.fromkeys(data["before"]["signatures"] + data["after"]["signatures"])
    policy = (
        f"default-src 'none'; script-src {csp_hash(script)};"
        f" style-src {csp_hash(styles)} {csp_hash(_QUIET)}; img-src data:;"
        " base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    return Template(asset("compare.html")).substitute(
        policy=policy,
        version=__version__,
        title=text(f"{names[0]} → {names[1]}"),
        before=text(names[0]),
        after=text(names[1]),
        summary=text(f"{summary(comparison)}."),
        judge=text(f"{judged_by(comparison)}."),
        signature=text(f"Signature: {' and '.join(signatures)}."),
        styles=styles,
        quiet=_QUIET,
        static=static_comparison(comparison, data),
        data=embedded_json(packed(data)),
        script=script,
    )
