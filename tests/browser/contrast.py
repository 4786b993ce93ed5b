"""How well text can be told from what lies behind it, as WCAG 2 reckons it."""

from __future__ import annotations

from playwright.sync_api import Locator

ENOUGH = 4.5  # WCAG 2.2, success criterion 1.4.3, for text of normal size

# A canvas knows every way to write a colour; painting the layers over one another mixes what is half transparent.
_CONTRASTS = """card => {
    const context = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d');
    const painted = colours => {
        context.clearRect(0, 0, 1, 1);
        for (const colour of colours) { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); }
        return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = rgb => {
        const [r, g, b] = rgb.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = element => {
        const behind = [];
        for (let at = element; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
        const both = [painted(behind), painted([...behind, getComputedStyle(element).color])].map(luminance);
        return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    };
    const ownText = element => [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE)
        .map(node => node.textContent.trim()).join(' ').trim();
    return [card, ...card.querySelectorAll('*')].filter(ownText).map(element => [ownText(element), contrast(element)]);
}"""


def hard_to_read(card: Locator) -> list[tuple[str, float]]:
    """The texts inside an element whose contrast is too low, with the contrast."""
    contrasts = card.evaluate(_CONTRASTS)
    assert contrasts, "there is no text at all"
    return [(text, round(contrast, 2)) for text, contrast in contrasts if contrast < ENOUGH]
