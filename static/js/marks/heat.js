// Heat map: a cell for each group, the darker the more, with its number where it fits.
export const type = "scatter";
import { centre } from "../axes.js";
import { unlike, unseen } from "./shapes.js";

export function datasets(figure) {
  return unseen(figure, (group) => ({ x: group.x, y: group.series, v: group.center, group }));
}

export function scales(figure, axis) {
  return {
    x: axis.places(figure.x.values, figure.x.label),
    y: axis.places(
      figure.series.map((series) => series.name),
      figure.rows ?? "",
    ),
  };
}

export function draw(c, chart, figure, pen) {
  const { x, y } = chart.scales;
  const [w, h] = [Math.abs(x.getPixelForValue(1) - x.getPixelForValue(0)), Math.abs(y.getPixelForValue(1) - y.getPixelForValue(0))];
  const [low, high] = figure.reach;
  const log = figure.scale === "log" && low > 0;
  const place = (value) => (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  const share = (value) => (high === low ? 1 : Math.min(1, Math.max(0, place(value))));
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
      c.globalAlpha = 0.08 + 0.92 * share(value);
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
