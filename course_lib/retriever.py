"""A small retriever: it finds the text that uses the same words as the question. It knows no times and no truth."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence


def words(text: str) -> list[str]:
    """The words of a text in lower case: letters and digits, everything else parts them."""
    return re.findall(r"\w+", text.lower())


def search(question: str, passages: Sequence[str]) -> list[tuple[float, int]]:
    """(score, place) for each of `passages`, the best first; equal scores in the order of the passages.

    The score is the cosine of two bags of words, from 0 (no word in common) to 1 (the same words, equally often).
    A word counts the more the fewer of the passages have it; the order of the words does not count.
    """
    bags = [Counter(words(text)) for text in passages]
    spread = Counter(word for bag in bags for word in bag)
    weight = {word: math.log(1 + len(bags) / have) for word, have in spread.items()}
    asked = Counter(words(question))
    found = [(_cosine(asked, bag, weight), place) for place, bag in enumerate(bags)]
    return sorted(found, key=lambda pair: -pair[0])


def _cosine(one: Counter[str], other: Counter[str], weight: dict[str, float]) -> float:
    def product(a: Counter[str], b: Counter[str]) -> float:
        # A word that no passage has can match nothing and would only make every score smaller.
        return sum(a[word] * b[word] * weight.get(word, 0.0) ** 2 for word in a)

    lengths = math.sqrt(product(one, one) * product(other, other))
    return round(product(one, other) / lengths, 6) if lengths else 0.0
