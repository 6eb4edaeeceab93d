// The tooltip at the pointer: value with unit, n, configuration, and that a click leads further. Screen readers have the reading.
const AWAY = 14;

export function makeTip(canvas) {
  const tip = document.createElement("div");
  tip.className = "figure-tip";
  tip.setAttribute("aria-hidden", "true");
  tip.hidden = true;
  canvas.parentNode.append(tip);
  const line = (text, className) => {
    const made = document.createElement("span");
    made.textContent = text;
    made.className = className;
    return made;
  };
  return {
    /** Show `{ value, n, of, hint }` beside a place of the canvas. */
    show({ value, n, of, hint }, x, y) {
      tip.replaceChildren(
        ...[
          [value, "figure-tip-value"],
          [n, "figure-tip-n"],
          [of, "figure-tip-of"],
          [hint, "figure-tip-hint"],
        ]
          .filter(([text]) => text)
          .map((one) => line(...one)),
      );
      tip.hidden = false;
      const [room, high] = [canvas.clientWidth, canvas.clientHeight];
      const left = x + AWAY + tip.offsetWidth > room ? x - AWAY - tip.offsetWidth : x + AWAY;
      tip.style.left = `${Math.max(0, Math.min(left, room - tip.offsetWidth))}px`;
      tip.style.top = `${Math.max(0, Math.min(y + AWAY, high - tip.offsetHeight))}px`;
    },
    hide() {
      tip.hidden = true;
    },
  };
}
