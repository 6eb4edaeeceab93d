// Grouped bars from zero: whiskers, every run as a dot on them, the marker of the series as second channel beside colour.
// A single run is a hollow mark without a bar; on a log scale a bar would have no foot, so only the mark is drawn. Nor is
// there a bar where sessions are too unlike for one, or where the value lies below a bound: a line stands for each centre.
import { centre } from "../axes.js";
import {
  arrow,
  boundLabel,
  centres,
  emptySign,
  fits,
  marker,
  modelLine,
  names,
  runs,
  unlike,
  whisker,
  whiskered,
} from "./shapes.js";

export const type = "bar";

const barless = (group) => unlike(group) || group.bound === "below";

export function datasets(figure, pen) {
  const log = figure.scale === "log";
  return figure.series.map((series, at) => {
    const groups = figure.x.values.map(() => undefined);
    for (const group of figure.groups) if (group.series === at) groups[group.x] = group;
    const filled = ({ dataIndex }) => !log && groups[dataIndex]?.n > 1 && !barless(groups[dataIndex]);
    return {
      label: series.name,
      data: groups.map((group) => group?.center ?? null),
      groups,
      backgroundColor: (context) => (filled(context) ? `${pen.series(series)}b0` : "transparent"),
      borderColor: (context) => (filled(context) ? pen.series(series) : "transparent"),
      borderWidth: 1.25,
      // An open end has no edge.
      borderSkipped: ({ dataIndex }) => (groups[dataIndex]?.bound ? true : "start"),
      categoryPercentage: 0.78,
      barPercentage: 0.92,
      maxBarThickness: 64,
      // An empty place keeps its room beside the others.
      skipNull: !figure.empty?.length,
    };
  });
}

export function scales(figure, axis) {
  return {
    x: axis.names(figure.x.values, figure.x.label, { autoSkip: names(figure.x.values) }),
    y: axis.numbers(figure.unit, figure.axes.values),
  };
}

export function draw(c, chart, figure, pen) {
  const y = chart.scales.y;
  const found = [];
  for (const [at, dataset] of chart.data.datasets.entries()) {
    const series = figure.series[at];
    for (const [index, bar] of chart.getDatasetMeta(at).data.entries()) {
      const group = dataset.groups[index];
      if (!group) {
        found.push(...empties(c, chart, figure, at, index, bar, pen));
        continue;
      }
      const width = Math.max(bar.width ?? 12, 2);
      found.push({
        group,
        box: [bar.x - width / 2 - 1, chart.chartArea.top, width + 2, chart.chartArea.bottom - chart.chartArea.top],
      });
      one(c, y, group, bar.x, width, { series, pen, foot: chart.chartArea.bottom, several: figure.series.length > 1 });
    }
  }
  return found;
}

/** The empty place of a series at a value of x, drawn; [] where there is none. Its whole text is in the reading. */
export function empties(c, chart, figure, series, x, bar, pen) {
  const place = figure.empty?.find((one) => one.x === x && one.series === series);
  if (!place) return [];
  const { top, bottom } = chart.chartArea;
  const width = Math.max(bar.width || slot(chart, figure), 10);
  emptySign(c, place, bar.x, bottom - 9, width, pen);
  return [{ group: place, box: [bar.x - width / 2, top, width, bottom - top] }];
}

/** The width of one series of a category in pixels. */
const slot = (chart, figure) =>
  ((chart.chartArea.right - chart.chartArea.left) / figure.x.values.length / figure.series.length) * 0.78;

function one(c, y, group, x, width, { series, pen, foot, several }) {
  mark(c, y, group, x, width, { series, pen, foot, several });
  modelLine(c, group, x, Math.max(width / 2, 5), y, pen);
}

function mark(c, y, group, x, width, { series, pen, foot, several }) {
  if (barless(group)) return lines(c, y, group, x, width, series, pen);
  bar(c, y, group, x, width, { series, pen, foot, several });
  if (group.bound && fits(y, group.center)) bounds(c, y, group, x, width, pen);
}

export function bounds(c, y, group, x, width, pen) {
  const at = y.getPixelForValue(group.center);
  arrow(c, x, at, group.bound, pen.ink);
  boundLabel(c, centre(group), x, at, group.bound, Math.max(width, 14), pen);
}

/** Runs as dots, and a line for each centre. */
function lines(c, y, group, x, width, series, pen) {
  const to = (value) => y.getPixelForValue(value);
  centres(c, group, x, Math.min(width * 0.4, 26), to, pen.series(series));
  runs(c, group, x, y, size(width), width * 0.42, pen);
  if (group.bound) bounds(c, y, group, x, width, pen);
}

function bar(c, y, group, x, width, { series, pen, foot, several }) {
  const lone = group.n === 1;
  // Bars of a pixel or less fade into each other: their tops are marked, and stems left out.
  const bare = lone || y.type === "logarithmic" || width < 3;
  if (lone && width >= 3 && fits(y, group.center)) {
    c.fillStyle = pen.rule;
    c.fillRect(x - 0.5, y.getPixelForValue(group.center), 1, foot - y.getPixelForValue(group.center));
  }
  if (width >= 3 && whiskered(group) && fits(y, group.low))
    whisker(c, x, y.getPixelForValue(group.low), y.getPixelForValue(group.high), Math.min(width * 0.22, 7), pen, group);
  if (bare && fits(y, group.center))
    marker(
      c,
      series.marker,
      x,
      y.getPixelForValue(group.center),
      Math.max(1.5, Math.min(5, width / 2.4)),
      pen.series(series),
      pen.paper,
      lone,
    );
  else if (several && width >= 6 && foot - y.getPixelForValue(lowest(group)) > 20)
    marker(c, series.marker, x, foot - 10, Math.min(4.5, width / 3), pen.series(series), pen.paper, false);
  if (width >= 3) runs(c, group, x, y, size(width), width * 0.42, pen);
}

/** The lowest number that is drawn of a group: the marker at the foot of its bar must not lie on a dot. */
const lowest = (group) =>
  Math.min(group.low ?? group.center, group.center, ...group.points.map((point) => point[0] ?? group.center));

/** The radius of a run in a mark of that width. */
export const size = (width) => (width < 14 ? 1.6 : 2.5);

/** What figure.js needs of the kind. */
export const kind = { type, datasets, scales, draw };
