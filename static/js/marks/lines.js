// Lines over an axis of numbers; each line is named at its end where there is room.
import { centre } from "../axes.js";
import {
  arrow,
  boundLabel,
  centres,
  fits,
  marker,
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
const MARGINS = 60;
const at = (figure, group) => figure.x.numbers[group.x];
const placed = (figure) => ({ ...figure, groups: figure.groups.filter((group) => at(figure, group) !== null) });

/** Whether a line runs between two neighbours: not over an empty place, nor to a bound or to sessions that are too unlike. */
function joined(figure, one, other) {
  if ([one, other].some((group) => group.bound || unlike(group))) return false;
  const between = (number) => number !== null && at(figure, one) < number && number < at(figure, other);
  return !figure.empty?.some((place) => place.series === one.series && between(at(figure, place)));
}

export function datasets(figure) {
  return unseen(placed(figure), (group) => ({ x: at(figure, group), y: group.center, group }));
}

export function scales(figure, axis) {
  const log = figure.x.scale === "log";
  const known = figure.x.numbers.flatMap((number, place) => (number === null ? [] : [[number, figure.x.values[place]]]));
  const [low, high] = [Math.min(...known.map((k) => k[0])), Math.max(...known.map((k) => k[0]))];
  return {
    x: {
      ...axis.numbers(figure.x.label, figure.x.scale, log ? { min: low / 1.2, max: high * 1.2 } : {}),
      grid: { display: false },
      // Ticks stand where something was measured, as it is called there; of names that would cover each other the first.
      afterBuildTicks: (scale) => {
        const share = (value) =>
          log ? Math.log(value / scale.min) / Math.log(scale.max / scale.min) : (value - scale.min) / (scale.max - scale.min);
        let end = Number.NEGATIVE_INFINITY;
        scale.ticks = [];
        for (const [value, name] of known.toSorted((a, b) => a[0] - b[0])) {
          const [place, half] = [
            share(value) * (scale.chart.width - MARGINS - padding(figure, scale.chart.width)),
            axis.width(name) / 2,
          ];
          if (place - half < end + 6) continue;
          end = place + half;
          scale.ticks.push({ value });
        }
      },
      ticks: {
        ...axis.ticks,
        color: axis.ink,
        autoSkip: false,
        maxRotation: 0,
        callback: (value) => known.find((one) => one[0] === value)?.[1] ?? "",
      },
    },
    y: axis.numbers(figure.unit, figure.scale, axis.fromZero(figure)),
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
    c.stroke();
    for (const { group, px, py } of line) {
      if (whiskered(group) && fits(y, group.low))
        whisker(c, px, y.getPixelForValue(group.low), y.getPixelForValue(group.high), 3, pen, group);
      if (unlike(group)) centres(c, group, px, 6, (value) => y.getPixelForValue(value), colour);
      else marker(c, series.marker, px, py, 4, colour, pen.paper, group.n === 1);
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
export const kind = { type, datasets, scales, draw, padding };
