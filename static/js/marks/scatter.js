// Two metrics against each other: a mark for each group with its intervals both ways, named where there is room.
import { centre, valuesTitle } from "../axes.js";
import { arrow, boundLabel, fits, label, marker, unseen, whisker, whiskered } from "./shapes.js";

export const type = "scatter";
const [MOST_NAMED, OUTERMOST] = [40, 10]; // of more marks than that the outermost ones have their names

export function datasets(figure) {
  return unseen(figure, (group) => ({ x: group.across.center, y: group.center, group }));
}

export function scales(figure, axis) {
  const title = `${figure.x.label}, ${figure.x.unit}${figure.x.better ? `, ${figure.x.better}` : ""}`;
  return {
    x: axis.numbers(title, figure.axes.places),
    y: axis.numbers(valuesTitle(figure), figure.axes.values),
  };
}

export function draw(c, chart, figure, pen) {
  const { x, y } = chart.scales;
  const found = [];
  if (figure.x.joined) joinLevels(c, figure, x, y, pen);
  for (const group of figure.groups) {
    if (!fits(x, group.across.center) || !fits(y, group.center)) continue;
    const [px, py, series] = [
      x.getPixelForValue(group.across.center),
      y.getPixelForValue(group.center),
      figure.series[group.series],
    ];
    if (whiskered(group) && fits(y, group.low))
      whisker(c, px, y.getPixelForValue(group.low), y.getPixelForValue(group.high), 3, pen, group);
    if (group.across.low !== null && fits(x, group.across.low))
      whisker(c, py, x.getPixelForValue(group.across.low), x.getPixelForValue(group.across.high), 3, pen, {
        lying: true,
        open: group.across.open,
      });
    found.push({ group, series, px, py, box: [px - 8, py - 8, 16, 16] });
  }
  for (const { group, series, px, py } of found) {
    marker(c, series.marker, px, py, 4.5, pen.series(series), pen.paper, group.n === 1);
    for (const [one, lying] of [
      [group, false],
      [group.across, true],
    ]) {
      for (const side of one.open ?? []) {
        const [axis, end] = [lying ? x : y, side === "above" ? one.high : one.low];
        if (end === null || (side === one.bound && end === one.center) || !fits(axis, end)) continue;
        const place = axis.getPixelForValue(end);
        arrow(c, lying ? place : px, lying ? py : place, side, pen.ink, lying);
      }
      if (!one.bound) continue;
      arrow(c, px, py, one.bound, pen.ink, lying);
      boundLabel(c, centre(one), px, py, one.bound, 60, pen, lying);
    }
  }
  nameMarks(c, chart, figure, found, pen);
  return found;
}

/** A line through the groups of each series, in the order of x. */
function joinLevels(c, figure, x, y, pen) {
  for (const [index, series] of figure.series.entries()) {
    c.strokeStyle = pen.series(series);
    c.lineWidth = 2;
    c.beginPath();
    for (const group of figure.groups.filter((group) => group.series === index).sort((a, b) => a.x - b.x))
      c.lineTo(x.getPixelForValue(group.across.center), y.getPixelForValue(group.center));
    c.stroke();
  }
}

/** The marks that are farthest from the middle of all: those that a reader asks about first. */
function outermost(found) {
  const mean = (key) => found.reduce((sum, mark) => sum + mark[key], 0) / found.length;
  const [x, y] = [mean("px"), mean("py")];
  const distance = ({ px, py }) => Math.hypot(px - x, py - y);
  return [...found].sort((a, b) => distance(b) - distance(a)).slice(0, OUTERMOST);
}

/** A name stays away where it would cover another name or a mark; hover and table have it. */
function nameMarks(c, chart, figure, found, pen) {
  const taken = found.map(({ px, py }) => [px - 5, py - 5, 10, 10]);
  for (const { group, px, py } of found.length <= MOST_NAMED ? found : outermost(found)) {
    const text = figure.x.values[group.x];
    const width = c.measureText(text).width;
    const room = [
      [px + 8, py - 7],
      [px - 8 - width, py - 7],
      [px - width / 2, py - 21],
      [px - width / 2, py + 8],
    ].find(
      ([left, top]) =>
        left > chart.chartArea.left &&
        left + width < chart.width &&
        top > chart.chartArea.top &&
        top + 14 < chart.chartArea.bottom &&
        taken.every(([a, b, w, h]) => left + width < a || a + w < left || top + 14 < b || b + h < top),
    );
    if (!room) continue;
    taken.push([...room, width, 14]);
    label(c, text, room[0], room[1] + 7, pen.ink, pen.paper);
  }
}

/** What figure.js needs of the kind. */
export const kind = { type, datasets, scales, draw, crowded: true };
