"""Abbreviations whose full stop does not end a sentence."""

from __future__ import annotations

TITLES = frozenset(
    "mr mrs ms dr prof profs rev fr sr jr st mt ft gen col lt sgt capt cmdr maj adm gov sen rep pres "
    "hon msgr messrs mme mlle sra srta dra herr frau".split()
)
"""A name follows: never the end of a sentence."""

BEFORE_NUMBER = frozenset(
    "fig figs eq eqs no nos nr art sec ch chap vol vols pp p pg para paras ref refs tab tbl pág págs "
    "núm cap abb kap рис стр".split()
)
"""A number follows: part of the sentence where one does."""

BEFORE_MORE = frozenset(
    "e.g i.e eg ie cf vs v viz al ca approx resp ed eds trans dept esp incl avg z.b d.h u.a bzw vgl ggf "
    "p.ej ej т.е т.д т.п др см".split()
)
"""Something follows that belongs to it: rarely the end of a sentence."""

MAYBE_LAST = frozenset(
    "etc inc ltd co corp llc plc bros jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu "
    "fri sat sun a.m p.m am pm u.s u.k u.n e.u d.c ph.d m.d b.a m.a b.sc m.sc b.c a.d b.c.e c.e st ave "
    "blvd rd ft oz lb lbs hr hrs sec kg cm mm ml univ assn dist".split()
)
"""Can end a sentence: it does where a word follows that only begins one."""

STARTERS = frozenset(
    "the a an it its this that these those he she they we you i his her their our there here in on at "
    "for from with by to as if when while although though because since however moreover furthermore "
    "additionally also but and or so yet therefore thus hence meanwhile finally first second third "
    "some many most more other another each every all no not both such what which who how why where "
    "after before during until today now then once overall according research studies based".split()
)
"""Words that begin sentences and seldom follow an abbreviation within one."""

MONTHS_AFTER_ORDINAL = frozenset(
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
)
"""German dates: ``am 3. Oktober``."""

NAMED = frozenset(
    "vitamin vitamins hepatitis type group plan grade class appendix section figure table part option "
    "series model phase tier level category version room gate side point and or".split()
)
"""A capital after one of these is its name, not an initial: ``vitamin C.``"""
