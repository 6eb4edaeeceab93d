// Labels of places beside each other, by the rules of webapp/drawing/text.py: level, else wrapped at spaces, else turned.
const [LINES, SIZE, TURNED] = [3, 13, 170];

/** Lines no wider than `room`; null where a word is wider. */
export function wrap(text, room, width) {
  const lines = [];
  for (const word of text.split(" ")) {
    if (width(word) > room) return null;
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && width(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The labels, of several lines where that helps, and whether they are level. `width`: of a text in pixels. */
export function layOut(texts, slot, width) {
  const room = slot - SIZE / 2;
  if (texts.every((text) => width(text) <= room)) return { labels: texts, level: true };
  const wrapped = texts.map((text) => wrap(text, room, width));
  if (wrapped.every((lines) => lines && lines.length <= LINES)) return { labels: wrapped, level: true };
  return { labels: texts.map((text) => shorten(text, TURNED, width)), level: false };
}

/** The text in one line no wider than `room`: the middle of a long one is left out, as its end often tells it from others. */
export function shorten(text, room, width) {
  const signs = [...text];
  let made = text;
  for (let kept = signs.length - 2; kept > 6 && width(made) > room; kept--) {
    const head = Math.ceil(kept * 0.6);
    made = `${signs.slice(0, head).join("")}…${signs.slice(head - kept).join("")}`;
  }
  return made;
}
