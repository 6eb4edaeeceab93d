// Two metrics against each other: one mark for every group that has both, with both intervals.
import { colourOf, marker, options, title, token, valueAxis } from "./shared.js";

const NAMED = 24; // marks up to which each has its name beside it, where it does not lie on another

function overlap([x, y, wide, high], [left, top, width, height]) {
  return x < left + width && left < x + wide && y < top + height && top < y + high;
}

function interval(c, from, to) {
  c.strokeStyle = token("--rule-strong");
  c.lineWidth = 1;
  c.beginPath();
  c.moveTo(...from);
  c.lineTo(...to);
  c.stroke();
}

function name(chart, figure, group, place, taken) {
  const c = chart.ctx;
  const text = figure.series.length > 1 && figure.x.values.length > 1 ? `${figure.x.values[group.x]}, ${figure.series[group.series].name}` : figure.x.values[group.x];
  const wide = c.measureText(text).width;
  const left = place.x + wide + 12 > chart.chartArea.right;
  const box = [left ? place.x - 9 - wide : place.x + 9, place.y - 7, wide, 14];
  if (taken.some((other) => overlap(box, other))) return;
  taken.push(box);
  c.textAlign = left ? "right" : "left";
  c.fillStyle = token("--ink");
  c.fillText(text, place.x + (left ? -9 : 9), place.y);
}

function marks(figure) {
  return {
    id: "poolmark-pairs",
    afterDatasetsDraw(chart) {
      const c = chart.ctx;
      const { x, y } = chart.scales;
      const taken = [];
      c.save();
      c.font = `12px ${token("--sans")}`;
      c.textBaseline = "middle";
      for (const [index, place] of chart.getDatasetMeta(0).data.entries()) {
        const group = figure.groups[index];
        const series = figure.series[group.series];
        if (group.low !== null) interval(c, [place.x, y.getPixelForValue(group.low)], [place.x, y.getPixelForValue(group.high)]);
        if (group.across.low !== null) interval(c, [x.getPixelForValue(group.across.low), place.y], [x.getPixelForValue(group.across.high), place.y]);
        marker(c, series.marker, place.x, place.y, group === chart.$chosen ? 7 : 5, colourOf(series), group.n === 1);
        if (figure.groups.length <= NAMED) name(chart, figure, group, place, taken);
      }
      c.restore();
    },
  };
}

export function build(figure) {
  const reach = figure.groups.map(({ across }) => ({ ...across, points: [] }));
  const along = valueAxis({ ...figure, groups: reach }, { text: "" });
  return {
    type: "scatter",
    data: { datasets: [{ data: figure.groups.map((group) => ({ x: group.across.center, y: group.center })), groups: figure.groups, pointRadius: 0 }] },
    options: options({ x: { ...along, border: { color: token("--muted"), display: true }, title: title(`${figure.x.label}, ${figure.x.unit}`) }, y: valueAxis({ ...figure, groups: figure.groups.map((group) => ({ ...group, points: [] })) }) }),
    plugins: [marks(figure)],
  };
}

const REACH = 14;

/** The group whose mark is nearest to a place of the canvas, within reach. */
export function hit(chart, x, y) {
  let best = null;
  let least = REACH;
  for (const [index, place] of chart.getDatasetMeta(0).data.entries()) {
    const far = Math.hypot(place.x - x, place.y - y);
    if (far < least) [best, least] = [chart.data.datasets[0].groups[index], far];
  }
  return best;
}
