// Heat map: a cell for each group, the stronger the colour the more, with its number where it fits, and a key of the colours.
import { centre, valuesTitle } from "../axes.js";
import { unlike, unseen } from "./shapes.js";

export const type = "scatter";
/** Room for the key above the cells. */
export const KEY = 40;
const [WEAKEST, STEPS] = [0.08, 24];

export function datasets(figure) {
  return unseen(figure, (group) => ({ x: group.x, y: group.series, v: group.center, group }));
}

export function scales(figure, axis) {
  return {
    x: axis.places(figure.x.values, figure.x.label),
    y: axis.places(
      figure.series.map((series) => series.name),
      figure.rows ?? "",
      true,
    ),
  };
}

export function draw(c, chart, figure, pen) {
  const { x, y } = chart.scales;
  const [w, h] = [Math.abs(x.getPixelForValue(1) - x.getPixelForValue(0)), Math.abs(y.getPixelForValue(1) - y.getPixelForValue(0))];
  const share = shares(figure);
  key(c, chart, figure, pen, share);
  const written = (text, px, py, ink) => {
    if (h < 14 || c.measureText(text).width + 4 >= w) return false;
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.fillStyle = ink;
    c.fillText(text, px, py);
    return true;
  };
  const cells = figure.groups.map((group) => {
    const [px, py] = [x.getPixelForValue(group.x), y.getPixelForValue(group.series)];
    const box = [px - w / 2 + 0.5, py - h / 2 + 0.5, w - 1, h - 1];
    c.fillStyle = pen.paper;
    c.fillRect(...box);
    // Sessions that are too unlike have a stripe each, and no number.
    const values = unlike(group) ? group.parts : [group.center];
    c.fillStyle = pen.heat;
    for (const [at, value] of values.entries()) {
      c.globalAlpha = WEAKEST + (1 - WEAKEST) * share(value);
      c.fillRect(box[0] + (box[2] / values.length) * at, box[1], box[2] / values.length, box[3]);
    }
    c.globalAlpha = 1;
    const ink = share(group.center) > 0.5 ? pen.onHeat : pen.ink;
    if (!unlike(group) && !written(centre(group), px, py, ink) && group.bound) corner(c, box, group.bound, ink);
    return { group, box };
  });
  const empty = (figure.empty ?? []).map((place) => {
    const [px, py] = [x.getPixelForValue(place.x), y.getPixelForValue(place.series)];
    written(place.text.startsWith("not run") ? "not run" : "no value", px, py, pen.muted);
    return { group: place, box: [px - w / 2 + 0.5, py - h / 2 + 0.5, w - 1, h - 1] };
  });
  return [...cells, ...empty];
}

/** Where a value lies between the lowest (0) and the highest (1) of the colours. */
function shares(figure) {
  const [low, high] = figure.reach;
  const log = isLog(figure);
  const place = (value) => (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  return (value) => (high === low ? 1 : Math.min(1, Math.max(0, place(value))));
}

const isLog = (figure) => figure.scale === "log" && figure.reach[0] > 0;

/** The key of the colours: unit, a ramp, and numbers under it. */
function key(c, chart, figure, pen, share) {
  const { left, right, top } = chart.chartArea;
  const y = top - KEY + 4;
  c.textBaseline = "middle";
  c.textAlign = "left";
  c.fillStyle = pen.muted;
  const title = valuesTitle(figure);
  c.fillText(title, left, y + 6);
  const start = left + c.measureText(title).width + 14;
  const room = Math.min(260, right - start - 24);
  if (room < 60) return;
  c.fillStyle = pen.heat;
  for (let at = 0; at < STEPS; at += 1) {
    c.globalAlpha = WEAKEST + ((1 - WEAKEST) * (at + 0.5)) / STEPS;
    c.fillRect(start + (room * at) / STEPS, y, room / STEPS + 0.3, 11);
  }
  c.globalAlpha = 1;
  const { ticks, labels } = figure.axes.key;
  c.textAlign = "center";
  c.fillStyle = pen.muted;
  for (const [at, label] of labels.entries()) {
    const x = start + room * share(ticks[at]);
    c.fillRect(x - 0.5, y + 11, 1, 4);
    c.fillText(label, x, y + 23);
  }
}

/** A triangle in the corner of a cell that is too small for the sign of its bound: at the top where the value lies above. */
function corner(c, [left, top, width, height], bound, ink) {
  const [side, edge, way] = [
    Math.min(6, width / 2, height / 2),
    bound === "above" ? top : top + height,
    bound === "above" ? 1 : -1,
  ];
  c.fillStyle = ink;
  c.beginPath();
  c.moveTo(left, edge);
  c.lineTo(left + side, edge);
  c.lineTo(left, edge + side * way);
  c.closePath();
  c.fill();
}

/** What figure.js needs of the kind. */
export const kind = { type, datasets, scales, draw, KEY, namesLeft: true };
