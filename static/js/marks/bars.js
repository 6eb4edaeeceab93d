// Grouped bars from zero: whiskers, every run as a dot on them, the marker of the series as second channel beside colour.
// Single runs are hollow marks without a bar; on a log scale a bar would have no foot, so only the mark is drawn. Nor is
// there any bar where one group cannot be one (`barless`): a line stands for each centre.
import { centre, valuesTitle } from "../axes.js";
import {
  arrow,
  boundLabel,
  centreLines,
  centres,
  emptySign,
  fits,
  marker,
  modelLine,
  names,
  runs,
  whisker,
  whiskered,
} from "./shapes.js";

export const type = "bar";

export function datasets(figure, pen) {
  const bare = figure.scale === "log" || figure.barless;
  return figure.series.map((series, at) => {
    const groups = figure.x.values.map(() => undefined);
    for (const group of figure.groups) if (group.series === at) groups[group.x] = group;
    const filled = ({ dataIndex }) => !bare && groups[dataIndex]?.n > 1;
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
    y: axis.numbers(valuesTitle(figure), figure.axes.values),
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
      one(c, y, group, bar.x, width, { series, pen, foot: chart.chartArea.bottom, figure });
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

function one(c, y, group, x, width, about) {
  const { pen, figure } = about;
  if (fits(y, group.center)) (figure.barless && y.type !== "logarithmic" ? lines : bar)(c, y, group, x, width, about);
  if (group.bound && fits(y, group.center)) bounds(c, y, group, x, width, pen);
  modelLine(c, group, x, Math.max(width / 2, 5), y, pen);
}

export function bounds(c, y, group, x, width, pen) {
  const at = y.getPixelForValue(group.center);
  arrow(c, x, at, group.bound, pen.ink);
  boundLabel(c, centre(group), x, at, group.bound, Math.max(width, 14), pen);
}

function bar(c, y, group, x, width, { series, pen, foot, figure }) {
  const lone = group.n === 1;
  // Bars of a pixel or less fade into each other: their tops are marked, and stems left out.
  const bare = lone || y.type === "logarithmic" || width < 3;
  if (lone && width >= 3) {
    c.fillStyle = pen.rule;
    c.fillRect(x - 0.5, y.getPixelForValue(group.center), 1, foot - y.getPixelForValue(group.center));
  }
  spanned(c, y, group, x, width, pen);
  if (bare) centres(c, series, group, x, Math.max(1.5, Math.min(5, width / 2.4)), y, pen);
  else footMarker(c, y, group, x, width, { series, pen, foot, figure });
  if (width >= 3) runs(c, group, x, y, size(width), width * 0.42, pen);
}

/** A line for each centre, and runs as dots. */
function lines(c, y, group, x, width, about) {
  const { series, pen } = about;
  spanned(c, y, group, x, width, pen);
  centreLines(c, group, x, Math.max(1.5, Math.min(width * 0.4, 26)), y, pen.series(series), pen.paper);
  footMarker(c, y, group, x, width, about);
  runs(c, group, x, y, size(width), width * 0.42, pen);
}

function spanned(c, y, group, x, width, pen) {
  if (width >= 3 && whiskered(group) && fits(y, group.low))
    whisker(c, x, y.getPixelForValue(group.low), y.getPixelForValue(group.high), Math.min(width * 0.22, 7), pen, group);
}

/** The marker of one of several series, where it lies on nothing else. */
function footMarker(c, y, group, x, width, { series, pen, foot, figure }) {
  if (figure.series.length > 1 && width >= 6 && foot - y.getPixelForValue(lowest(group)) > 20)
    marker(c, series.marker, x, foot - 10, Math.min(4.5, width / 3), pen.series(series), pen.paper, group.n === 1);
}

/** The lowest number that is drawn of a group: the marker at the foot of its bar must not lie on a dot. */
const lowest = (group) =>
  Math.min(group.low ?? group.center, group.center, ...group.points.map((point) => point[0] ?? group.center));

/** The radius of a run in a mark of that width. */
export const size = (width) => (width < 14 ? 1.6 : 2.5);

/** What figure.js needs of the kind. */
export const kind = { type, datasets, scales, draw };
