from __future__ import annotations
from math import log2, sqrt
from citemark.judges.embedded.match import *
from citemark.judges.embedded.overlap import overlap_of
from citemark.judges.embedded.statements import Reading, Statement, read
from citemark.judges.embedded.units import weight

def aspects(own, source, query):
    sums = {}
    total = 0.0
    for s in own:
        c = s.credit[source]
        terms = [(t, weight(t)) for t in s.terms if t not in query.terms]
        norm = sqrt(sum(w*w for _, w in terms))
        if not norm: continue
        total += c
        for t, w in terms:
            sums[t] = sums.get(t, 0.0) + c*w/norm
    if not total: return 1.0, 1.0
    d = total*total/sum(v*v for v in sums.values())
    # distinct
    return d, total

def features_of(answer, query_text):
    reading = read(answer)
    query = read_query(query_text)
    ov = overlap_of(reading.statements)
    whole = vector(reading.statements)
    norm = sum(v*v for v in whole.values())
    amatch = query.covered(whole)
    out = {}
    nq = len(query.terms)
    for source, own in reading.by_source.items():
        f = {}
        cm = sum(s.credit[source]*s.mass for s in own)
        shared = sum(s.credit[source]*s.mass/max(1.0, sum(s.credit.values())) for s in own)
        solo = sum(s.credit[source]*s.mass for s in own if len(s.credit) == 1)
        ownv = vector(own)
        distinct = sum(weight(t) for t in ownv)
        distinct_nq = sum(weight(t) for t in ownv if t not in query.terms)
        u = sum(s.credit[source]*min(1.0, s.mass/3) for s in own)
        sents = {}
        for s in own:
            sents[s.sentences[0]] = max(s.credit[source], sents.get(s.sentences[0], 0))
        f['units'] = log2(1+u)
        f['u1'] = min(1, u/2); f['u2']=min(1,max(0,(u-1.5)/3)); f['u3']=min(1,max(0,(u-4)/5))
        f['sents'] = log2(1+sum(sents.values()))
        f['words'] = log2(1+distinct)
        d, tot = aspects(own, source, query)
        f['aspects'] = log2(d) if d > 1 else 0.0
        f['share'] = shared/reading.mass
        f['reach'] = cm/reading.mass
        f['sqshare'] = sqrt(f['share']); f['sqreach'] = sqrt(f['reach'])
        f['sole'] = solo/cm
        f['direct'] = sum(s.mass*(s.credit[source]==1) for s in own)/sum(s.mass for s in own)
        f['apart'] = 1-ov.nearest.get(source, 0.0)
        f['fallen'] = sqrt(ov.fallen.get(source, 0.0))
        f['match'] = query.covered(ownv)
        f['best'] = max(query.covered(s.terms) for s in own)
        bysent = {}
        for s in own: bysent.setdefault(s.sentences[0], set()).update(s.terms)
        f['bestsent'] = max(query.covered(v) for v in bysent.values())
        f['amatch'] = amatch
        f['relmatch'] = f['match']/amatch if amatch else 0.0
        f['central'] = closeness_to_rest(ownv, whole, norm)
        f['kind'] = float(any(answers_kind(s.unit, query) for s in own))
        f['kindshare'] = sum(s.mass for s in own if answers_kind(s.unit, query))/sum(s.mass for s in own)
        f['haskind'] = float(bool(query.kinds))
        n = len(own)
        um = sum(s.mass for s in own)
        def tot_(name): return sum(getattr(s.unit, name)*s.credit[source] for s in own)
        f['numbers'] = log2(1+tot_('numbers')); f['names'] = log2(1+tot_('names'))
        f['hasnum'] = sum(s.mass for s in own if s.unit.numbers)/um
        f['hasname'] = sum(s.mass for s in own if s.unit.names)/um
        nt = sum(len(s.terms) for s in own)
        f['rare'] = sum(s.unit.rare for s in own)/nt
        f['rarebest'] = max(s.unit.rare/(len(s.terms)+2) for s in own)
        f['lograre'] = log2(1+tot_('rare'))
        f['generic'] = sum(s.unit.generic for s in own)/nt
        f['hedge'] = sum(1 for s in own if s.unit.hedges)/n
        f['cause'] = log2(1+tot_('causes')); f['contrast'] = log2(1+tot_('contrasts')); f['example'] = log2(1+tot_('examples'))
        sp = reading.spoken[source]
        f['density'] = sp.said/sp.words
        f['fresh'] = distinct/sp.mass
        f['freshnq'] = distinct_nq/max(.1, sp.mass)
        f['richness'] = um/n  # mass per unit
        f['nsrc'] = log2(len(reading.by_source))
        f['amass'] = log2(1+reading.mass)
        f['nq'] = log2(1+nq)
        f['qrare'] = sum(1 for t in query.terms if weight(t)==1)/max(1,nq)
        f['arare'] = sum(s.unit.rare for s in reading.statements)/sum(len(s.terms) for s in reading.statements)
        f['sz'] = sum(s.credit[source]*min(1,s.mass/3)/max(1,sum(s.credit.values())) for s in own)
        f['sz'] = log2(1+f['sz'])
        out[source] = f
    mx = {k: max(f[k] for f in out.values()) for k in ('share','reach','units','match','words','aspects','lograre')} if out else {}
    mean = {k: sum(f[k] for f in out.values())/len(out) for k in ('share','reach','units','match','words','aspects','lograre','rare','central','bestsent','sz')} if out else {}
    for f in out.values():
        for k in mx: f['rel_'+k] = f[k]/mx[k] if mx[k] else 0.0
        for k in mean: f['diff_'+k] = f[k]-mean[k]
    return out
