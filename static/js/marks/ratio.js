// Ratios to the baseline on a log axis: a dot for each matched pair, the mark of all with its interval, a line at 1.
import * as dots from "./dots.js";

export const type = "scatter";
export const datasets = (figure) => dots.datasets(figure);

export function scales(figure, axis) {
  const values = figure.groups
    .flatMap((g) => [g.center, g.low ?? g.center, g.high ?? g.center, ...g.points.map((p) => p[0])])
    .filter((v) => v > 0);
  const [low, high] = [Math.min(1, ...values), Math.max(1, ...values)];
  const made = dots.scales(figure, axis);
  // Twice and half are equally far from 1; a little beyond both ends, so that no mark is cut.
  return { ...made, x: { ...made.x, min: low / 1.15, max: high * 1.15 } };
}

export function draw(c, chart, figure, pen) {
  const at = chart.scales.x.getPixelForValue(1);
  c.fillStyle = pen.ink;
  c.fillRect(at - 0.75, chart.chartArea.top, 1.5, chart.chartArea.bottom - chart.chartArea.top);
  return dots.draw(c, chart, figure, pen);
}

/** What figure.js needs of the kind. */
export const kind = { type, datasets, scales, draw };
