// Ratios to the baseline on a log axis: a dot for each matched pair, the mark of all with its interval, a line at 1.
import * as dots from "./dots.js";

export const type = "scatter";
export const datasets = dots.datasets;
export const scales = dots.scales;

export function draw(c, chart, figure, pen) {
  const at = chart.scales.x.getPixelForValue(1);
  c.fillStyle = pen.ink;
  c.fillRect(at - 0.75, chart.chartArea.top, 1.5, chart.chartArea.bottom - chart.chartArea.top);
  return dots.draw(c, chart, figure, pen, false); // a ratio has no runs of its own
}

/** What figure.js needs of the kind. */
export const kind = { type, datasets, scales, draw, namesLeft: true };
