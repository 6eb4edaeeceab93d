// Lines over an axis of numbers: record size, threads, nodes. Every repetition is a dot, the interval a band.
import { colourOf, dot, groupsOf, marker, options, placeAxis, token, valueAxis, whisker } from "./shared.js";

const DIRECT = 6; // series up to which each is named at its last point
const DOTTED = 10; // runs of a group up to which each is a dot of its own
const APART = 15; // pixels between two names

function data(figure) {
  return {
    datasets: figure.series.map((series, at) => {
      const groups = groupsOf(figure, at).filter((group) => group && figure.x.numbers[group.x] !== null).sort((a, b) => figure.x.numbers[a.x] - figure.x.numbers[b.x]);
      const colour = colourOf(series);
      return {
        label: series.name,
        data: groups.map((group) => ({ x: figure.x.numbers[group.x], y: group.center })),
        groups,
        marker: series.marker,
        colour,
        borderColor: colour,
        borderWidth: 1.75,
        pointRadius: 0,
        tension: 0,
      };
    }),
  };
}

/** Names at the ends of the lines, moved down where two would lie on each other. */
function named(chart) {
  const c = chart.ctx;
  c.fillStyle = token("--ink");
  c.font = `13px ${token("--sans")}`;
  c.textAlign = "left";
  c.textBaseline = "middle";
  const ends = chart.data.datasets
    .map((dataset, series) => ({ name: dataset.label, last: chart.getDatasetMeta(series).data.at(-1) }))
    .filter(({ name, last }) => name && last)
    .sort((a, b) => a.last.y - b.last.y);
  let above = Number.NEGATIVE_INFINITY;
  for (const { name, last } of ends) {
    const y = Math.max(last.y, above + APART);
    c.fillText(name, last.x + 9, y);
    above = y;
  }
}

function marks(figure) {
  return {
    id: "poolmark-lines",
    afterDatasetsDraw(chart) {
      const c = chart.ctx;
      const y = chart.scales.y;
      const log = y.type === "logarithmic";
      const [ink, paper] = [token("--ink"), token("--paper")];
      c.save();
      for (const [series, dataset] of chart.data.datasets.entries()) {
        const places = chart.getDatasetMeta(series).data;
        for (const [index, place] of places.entries()) {
          const group = dataset.groups[index];
          if (group.low !== null && (!log || group.low > 0)) whisker(c, place.x, y.getPixelForValue(group.low), y.getPixelForValue(group.high), 14, dataset.colour);
          if (group.points.length <= DOTTED) for (const [value] of group.points) if (!log || value > 0) dot(c, place.x, y.getPixelForValue(value), 1.6, ink, paper);
          marker(c, dataset.marker, place.x, place.y, group === chart.$chosen ? 6 : 4, dataset.colour, group.n === 1);
        }
      }
      if (figure.series.length <= DIRECT) named(chart);
      c.restore();
    },
  };
}

function numbersAxis(figure) {
  const places = figure.x.numbers
    .map((value, at) => ({ value, label: figure.x.values[at] }))
    .filter(({ value }) => value !== null)
    .sort((a, b) => a.value - b.value);
  const [low, high] = [places[0].value, places.at(-1).value];
  const log = figure.x.scale === "log";
  const air = log ? (high / low) ** 0.03 : (high - low) * 0.03 || 1;
  const axis = {
    type: log ? "logarithmic" : "linear",
    min: log ? low / air : low - air,
    max: log ? high * air : high + air,
    afterBuildTicks: (scale) => {
      scale.ticks = places.map(({ value }) => ({ value }));
    },
  };
  const callback = (value) => places.find((place) => place.value === value)?.label ?? "";
  return placeAxis(figure.x.label, { axis, ticks: { callback } });
}

export function build(figure) {
  const made = options({ x: numbersAxis(figure), y: valueAxis(figure) });
  const longest = Math.max(0, ...figure.series.map((series) => series.name.length));
  if (figure.series.length <= DIRECT && longest) made.layout.padding.right = 14 + Math.min(longest, 18) * 7;
  return { type: "line", data: data(figure), options: made, plugins: [marks(figure)] };
}

const REACH = 12;

/** The group whose point is nearest to a place of the canvas, within reach. */
export function hit(chart, x, y) {
  let best = null;
  let least = REACH;
  for (const [series, dataset] of chart.data.datasets.entries()) {
    for (const [index, place] of chart.getDatasetMeta(series).data.entries()) {
      const far = Math.hypot(place.x - x, place.y - y);
      if (far < least) [best, least] = [dataset.groups[index], far];
    }
  }
  return best;
}
