// Groups below each other: centre, interval, every repetition. Position is read, so that the axis need not begin at zero.
import { centre, valuesTitle } from "../axes.js";
import { arrow, boundLabel, centres, emptySign, fits, modelLine, runs, unseen, whisker, whiskered } from "./shapes.js";

export const type = "scatter";
const lines = (figure) => figure.x.values.map((name, x) => ({ name, x }));

export function datasets(figure) {
  return unseen(figure, (group) => ({ x: group.center, y: group.x, group }));
}

export function scales(figure, axis) {
  return {
    y: {
      ...axis.places(
        lines(figure).map(({ name }) => name),
        figure.x.label,
        true,
      ),
      reverse: true,
    },
    x: axis.numbers(valuesTitle(figure), figure.axes.values, axis.beside),
  };
}

export function draw(c, chart, figure, pen, withRuns = true) {
  const { x, y } = chart.scales;
  const step = Math.abs(y.getPixelForValue(1) - y.getPixelForValue(0)) || 24;
  // Only the series that are there take room, or would be if they had been run.
  const present = new Map();
  const all = [...figure.groups, ...(figure.empty ?? [])].sort((a, b) => a.x - b.x || a.series - b.series);
  for (const group of all) present.set(group.x, [...(present.get(group.x) ?? []), group]);
  const slot = Math.min(16, (step * 0.84) / Math.max(...[...present.values()].map((some) => some.length)));
  return all.map((group) => {
    const series = figure.series[group.series];
    const at = y.getPixelForValue(group.x) + (present.get(group.x).indexOf(group) - (present.get(group.x).length - 1) / 2) * slot;
    const box = [chart.chartArea.left, at - slot / 2, chart.chartArea.right - chart.chartArea.left, slot];
    if (group.text) {
      emptySign(c, group, chart.chartArea.left + 4, at, Number.POSITIVE_INFINITY, pen, "left");
      return { group, box };
    }
    if (slot >= 5 && whiskered(group) && fits(x, group.low))
      whisker(c, at, x.getPixelForValue(group.low), x.getPixelForValue(group.high), Math.min(4, slot / 3), pen, {
        lying: true,
        open: group.open,
      });
    if (fits(x, group.center)) centres(c, series, group, at, Math.max(1.5, Math.min(5, slot / 2.2)), x, pen, true);
    modelLine(c, group, at, Math.max(slot / 2, 5), x, pen, true);
    if (slot >= 4 && withRuns) runs(c, group, at, x, Math.min(2.2, slot / 5), slot / 2, pen, true);
    if (group.bound && fits(x, group.center)) {
      const end = x.getPixelForValue(group.center);
      arrow(c, end, at, group.bound, pen.ink, true);
      boundLabel(c, centre(group), end, at, group.bound, slot, pen, true);
    }
    return { group, box };
  });
}

/** What figure.js needs of the kind. */
export const kind = { type, datasets, scales, draw, crowded: true, namesLeft: true };
