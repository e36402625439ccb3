"""Telling a model that declines to judge from one that only writes badly."""

from __future__ import annotations

import re

# How a refusal opens. A reply that starts like this and gives no score is a refusal.
_OPENING = re.compile(
    r"[\W_]{0,20}(?:(?:hi|hello|well|unfortunately|thank you[^.!\n]{0,60}[.!])[,.!]?\s)?"
    r"(?:i(?:'m| am) (?:very |so |truly |really )?(?:sorry|afraid)|(?:i )?apologi[sz]e|my apologies"
    r"|sorry|(?:i|we) (?:really |simply |just )?(?:cannot|can't|can not|won't|will not|must decline"
    r"|decline|refuse|do not feel|don't feel|am not able|am unable|are unable|do not have"
    r"|don't have|have to decline)"
    r"|i'm (?:not able|unable|not comfortable)|as an? (?:ai|large language|language)|unable to"
    # French, German, Spanish, Portuguese, Italian, Dutch, Polish
    r"|(?:je suis )?désolée?|je (?:regrette|ne peux|ne suis pas en mesure)"
    r"|(?:es )?tut mir leid|leider kann ich|ich (?:kann|darf|möchte) [^.\n]{0,60}nicht"
    r"|entschuldigung"
    r"|lo siento|lo lamento|lamento|no puedo|disculp[ea]"
    r"|desculpe|sinto muito|infelizmente|não posso|mi dispiace|purtroppo|non posso"
    r"|het spijt me|helaas|ik kan [^.\n]{0,60}niet|przepraszam|przykro mi|niestety|nie mogę"
    # Russian, Ukrainian, Turkish, Vietnamese, Indonesian
    r"|извините|простите|к сожалению|(?:я )?не могу|вибачте|на жаль|я не можу"
    r"|üzgünüm|maalesef|xin lỗi|rất tiếc|tôi không thể|maaf|saya tidak (?:dapat|bisa)"
    # Chinese, Japanese, Korean, Arabic, Hebrew, Hindi
    r"|(?:很|非常|十分)?(?:抱歉|对不起|對不起|遗憾|遺憾)|我(?:无法|無法|不能|没有办法)|作为(?:一个)?(?:ai|人工智能)"
    r"|申し訳|すみません|ごめん|残念ながら|죄송|미안|유감"
    r"|عذر|آسف|أعتذر|للأسف|لا (?:أستطيع|يمكنني)|סליחה|מצטער|אני לא יכול|क्षमा करें|माफ)",
    re.IGNORECASE,
)

# Declining to do the very thing that was asked, wherever it stands in the reply.
_DECLINING = re.compile(
    r"\b(?:i|we)(?: am|'m| are|'re)? (?:really |simply |just )?"
    r"(?:cannot|can't|can not|won't|will not|must decline to|decline to|refuse to"
    r"|unable to|not able to|not comfortable) (?:\w+ly |in good conscience )?"
    r"(?:provid|giv|assign|rat(?:e|ing)\b|scor|evaluat|judg|assess|grad(?:e|ing)\b|help\b|assist|comply"
    r"|complet|fulfil|answer|respond|do (?:this|that|so)\b|engag|process|continu)"
    r"|无法(?:为|提供|评|给|对|進行|进行|判断)|無法(?:為|提供|評|給)|不能(?:评|给|提供)"
    r"|(?:評価|採点|回答|お答え|対応|提供)(?:することは|は)?できません"
    r"|(?:평가|제공|답변|도와)[^.\n]{0,10}수 없",
    re.IGNORECASE,
)


def opens_as_refusal(text: str) -> bool:
    """Whether a reply that holds no score starts the way refusals do.

    >>> opens_as_refusal("I’m sorry, but no."), opens_as_refusal("No idea.")
    (True, False)
    """
    start = text.lstrip()[:400].replace("’", "'")
    return _OPENING.match(start) is not None or declines(text)


def declines(text: str) -> bool:
    """Whether the model says that it will not or cannot score, anywhere in the reply.

    >>> declines("Having read it, I cannot give a score of 14.")
    True
    >>> declines("I cannot find it in the answer: 1/20.")
    False
    """
    return _DECLINING.search(text.replace("’", "'")) is not None
