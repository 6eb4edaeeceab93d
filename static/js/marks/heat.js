// Heat map: a cell for each group, the darker the more, with its number where it fits.
export const type = "scatter";
import { unseen } from "./shapes.js";

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
  const share = (value) => (high === low ? 1 : log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  return figure.groups.map((group) => {
    const [px, py, part] = [x.getPixelForValue(group.x), y.getPixelForValue(group.series), share(group.center)];
    const box = [px - w / 2 + 0.5, py - h / 2 + 0.5, w - 1, h - 1];
    c.fillStyle = pen.paper;
    c.fillRect(...box);
    c.globalAlpha = 0.08 + 0.92 * part;
    c.fillStyle = pen.heat;
    c.fillRect(...box);
    c.globalAlpha = 1;
    const text = pen.shown(group.center);
    if (h >= 14 && c.measureText(text).width + 4 < w) {
      c.textAlign = "center";
      c.textBaseline = "middle";
      c.fillStyle = part > 0.5 ? pen.onHeat : pen.ink;
      c.fillText(text, px, py);
    }
    return { group, box };
  });
}
