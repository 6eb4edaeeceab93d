// Lines over an axis of numbers; each line is named at its end where there is room.
import { centre, valuesTitle } from "../axes.js";
import {
  arrow,
  boundLabel,
  centres,
  fits,
  modelLine,
  nameEnds,
  padding,
  runs,
  unlike,
  unseen,
  whisker,
  whiskered,
} from "./shapes.js";

export const type = "scatter";
const MARGIN = 60;
const at = (figure, group) => figure.x.numbers[group.x];
const placed = (figure) => ({ ...figure, groups: figure.groups.filter((group) => at(figure, group) !== null) });

/** Whether a line runs between two neighbours: not over an empty place, nor to a bound or to sessions that are too unlike. */
function joined(figure, one, other) {
  if ([one, other].some((group) => group.bound || unlike(group))) return false;
  const between = (number) => number !== null && at(figure, one) < number && number < at(figure, other);
  return !figure.empty?.some((place) => place.series === one.series && between(at(figure, place)));
}

/** Percentiles of sessions that are too unlike for one: from one centre to each, or from each to that of the same session. */
function joinSessions(c, line, y) {
  for (const [order, right] of line.entries()) {
    const left = line[order - 1];
    if (!left) continue;
    const [starts, ends] = [left, right].map(({ group }) => (unlike(group) ? group.parts : [group.center]));
    const most = Math.max(starts.length, ends.length);
    if (most < 2 || (starts.length !== ends.length && Math.min(starts.length, ends.length) > 1)) continue;
    for (let at = 0; at < most; at++) {
      c.moveTo(left.px, y.getPixelForValue(starts[at] ?? starts[0]));
      c.lineTo(right.px, y.getPixelForValue(ends[at] ?? ends[0]));
    }
  }
}

export function datasets(figure) {
  return unseen(placed(figure), (group) => ({ x: at(figure, group), y: group.center, group }));
}

export function scales(figure, axis) {
  const x = axis.numbers(figure.x.label, figure.axes.places, (wide) => MARGIN + padding(figure, wide));
  // Ticks stand where something was measured, as it is called there.
  return {
    x: { ...x, grid: { display: false }, ticks: { ...x.ticks, color: axis.ink } },
    y: axis.numbers(valuesTitle(figure), figure.axes.values),
  };
}

export function draw(c, chart, figure, pen) {
  const { x, y } = chart.scales;
  const found = [];
  const ends = [];
  for (const [index, series] of figure.series.entries()) {
    const colour = pen.series(series);
    const line = placed(figure)
      .groups.filter((group) => group.series === index && fits(y, group.center) && fits(x, at(figure, group)))
      .map((group) => ({ group, px: x.getPixelForValue(at(figure, group)), py: y.getPixelForValue(group.center) }))
      .sort((a, b) => a.px - b.px);
    c.strokeStyle = colour;
    c.lineWidth = 2;
    c.beginPath();
    for (const [order, one] of line.entries())
      c[order && joined(figure, line[order - 1].group, one.group) ? "lineTo" : "moveTo"](one.px, one.py);
    if (figure.x.ticks) joinSessions(c, line, y);
    c.stroke();
    for (const { group, px, py } of line) {
      if (whiskered(group) && fits(y, group.low))
        whisker(c, px, y.getPixelForValue(group.low), y.getPixelForValue(group.high), 3, pen, group);
      centres(c, series, group, px, 4, y, pen);
      runs(c, group, px, y, 1.5, 6, pen);
      modelLine(c, group, px, 9, y, pen);
      if (group.bound) {
        arrow(c, px, py, group.bound, pen.ink);
        boundLabel(c, centre(group), px, py, group.bound, 60, pen);
      }
      found.push({ group, box: [px - 8, py - 8, 16, 16] });
    }
    if (line.length && series.name) ends.push({ series, colour, x: line.at(-1).px + 9, y: line.at(-1).py });
  }
  if (padding(figure, chart.width) > 8) nameEnds(c, chart, ends, pen);
  return found;
}

/** What figure.js needs of the kind. */
export const kind = { type, datasets, scales, draw, padding, crowded: true };
