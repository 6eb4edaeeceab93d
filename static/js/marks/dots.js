// Groups below each other: centre, interval, every repetition. Position is read, so that the axis need not begin at zero.
import { dot, fits, marker, unseen, whisker } from "./shapes.js";

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
      ),
      reverse: true,
    },
    x: axis.numbers(figure.unit, figure.scale, axis.room(figure)),
  };
}

export function draw(c, chart, figure, pen) {
  const { x, y } = chart.scales;
  const step = Math.abs(y.getPixelForValue(1) - y.getPixelForValue(0)) || 24;
  // Only the series that are there take room.
  const present = new Map();
  for (const group of figure.groups) present.set(group.x, [...(present.get(group.x) ?? []), group]);
  const slot = Math.min(16, (step * 0.84) / Math.max(...[...present.values()].map((some) => some.length)));
  return figure.groups.map((group) => {
    const series = figure.series[group.series];
    const at = y.getPixelForValue(group.x) + (present.get(group.x).indexOf(group) - (present.get(group.x).length - 1) / 2) * slot;
    if (slot >= 5 && group.low !== null && fits(x, group.low))
      whisker(c, at, x.getPixelForValue(group.low), x.getPixelForValue(group.high), Math.min(4, slot / 3), pen.ink, true);
    if (slot >= 4 && group.n > 1)
      for (const [value] of group.points) if (fits(x, value)) dot(c, x.getPixelForValue(value), at, 1.8, pen.muted, pen.paper);
    if (fits(x, group.center))
      marker(
        c,
        series.marker,
        x.getPixelForValue(group.center),
        at,
        Math.max(1.5, Math.min(5, slot / 2.2)),
        pen.series(series),
        pen.paper,
        group.n === 1,
      );
    return { group, box: [chart.chartArea.left, at - slot / 2, chart.chartArea.right - chart.chartArea.left, slot] };
  });
}
