// A heat map: x across, series up, the centre as depth of one colour and as a number where it fits.
import { options, placeAxis, shown, token } from "./shared.js";

function depth(figure, group) {
  const [low, high] = figure.reach;
  if (high === low) return 0.5;
  if (figure.scale === "log" && low > 0) return Math.log(group.center / low) / Math.log(high / low);
  return (group.center - low) / (high - low);
}

function cells(figure) {
  return {
    id: "poolmark-map",
    afterDatasetsDraw(chart) {
      const c = chart.ctx;
      const { x, y } = chart.scales;
      const wide = (x.right - x.left) / figure.x.values.length;
      const high = (y.bottom - y.top) / figure.series.length;
      c.save();
      c.font = `12px ${token("--sans")}`;
      c.textAlign = "center";
      c.textBaseline = "middle";
      for (const group of figure.groups) {
        const [left, top] = [x.left + group.x * wide, y.bottom - (group.series + 1) * high];
        const part = depth(figure, group);
        c.globalAlpha = 0.08 + 0.87 * part;
        c.fillStyle = token("--series-1");
        c.fillRect(left + 1, top + 1, wide - 2, high - 2);
        c.globalAlpha = 1;
        if (group === chart.$chosen) {
          c.strokeStyle = token("--ink");
          c.lineWidth = 2;
          c.strokeRect(left + 1, top + 1, wide - 2, high - 2);
        }
        const text = shown(group.center);
        if (c.measureText(text).width < wide - 6 && high > 15) {
          c.fillStyle = part > 0.55 ? token("--paper") : token("--ink");
          c.fillText(text, left + wide / 2, top + high / 2);
        }
      }
      c.restore();
    },
  };
}

export function build(figure) {
  const names = figure.series.map((series) => series.name);
  const side = (labels, label) => placeAxis(label, { axis: { type: "category", labels, offset: true } });
  return {
    type: "scatter",
    data: { datasets: [{ data: figure.groups.map((g) => ({ x: figure.x.values[g.x], y: names[g.series] })), groups: figure.groups, pointRadius: 0 }] },
    options: options({ x: side(figure.x.values, figure.x.label), y: { ...side([...names].reverse(), ""), reverse: false } }),
    plugins: [cells(figure)],
  };
}

/** The group of the cell under a place of the canvas. */
export function hit(chart, x, y, figure) {
  const { x: across, y: up } = chart.scales;
  if (x < across.left || x > across.right || y < up.top || y > up.bottom) return null;
  const column = Math.floor(((x - across.left) / (across.right - across.left)) * figure.x.values.length);
  const row = Math.floor(((up.bottom - y) / (up.bottom - up.top)) * figure.series.length);
  return figure.groups.find((group) => group.x === column && group.series === row) ?? null;
}
