// Grouped bars, and what stands in their place: dots, boxes, ratios. Whiskers and every repetition are drawn over them.
import { colourOf, dot, groupsOf, marker, offset, options, placeAxis, token, valueAxis, whisker } from "./shared.js";

function isBare(figure) {
  // On a log scale a bar would have no foot; dots, boxes and ratios stand for themselves.
  return figure.scale === "log" || figure.kind !== "bars";
}

function data(figure) {
  const bare = isBare(figure);
  return {
    labels: figure.x.values,
    datasets: figure.series.map((series, at) => {
      const colour = colourOf(series);
      const groups = groupsOf(figure, at);
      return {
        label: series.name,
        data: groups.map((group) => (group ? group.center : null)),
        groups,
        marker: series.marker,
        colour,
        // A single run is a hollow mark.
        backgroundColor: (context) => (bare || groups[context.dataIndex]?.n === 1 ? "transparent" : `${colour}b0`),
        borderColor: bare ? "transparent" : colour,
        borderWidth: 1.25,
        categoryPercentage: 0.78,
        barPercentage: 0.92,
        maxBarThickness: 64,
      };
    }),
  };
}

function box(c, y, group, x, width, colour) {
  const [low, lower, middle, upper, high] = group.box.map((value) => y.getPixelForValue(value));
  const half = Math.min(width * 0.36, 22);
  whisker(c, x, low, lower, width, token("--ink"));
  whisker(c, x, upper, high, width, token("--ink"));
  c.fillStyle = `${colour}66`;
  c.fillRect(x - half, upper, half * 2, lower - upper);
  c.strokeStyle = colour;
  c.lineWidth = 1.25;
  c.strokeRect(x - half, upper, half * 2, lower - upper);
  c.lineWidth = 2.5;
  c.beginPath();
  c.moveTo(x - half, middle);
  c.lineTo(x + half, middle);
  c.stroke();
}

function unity(chart) {
  const { ctx, chartArea, scales } = chart;
  const y = scales.y.getPixelForValue(1);
  ctx.strokeStyle = token("--ink");
  ctx.lineWidth = 1;
  ctx.setLineDash([4, 4]);
  ctx.beginPath();
  ctx.moveTo(chartArea.left, y);
  ctx.lineTo(chartArea.right, y);
  ctx.stroke();
  ctx.setLineDash([]);
}

function chosen(chart, bar, width) {
  const { ctx, chartArea } = chart;
  ctx.strokeStyle = token("--accent");
  ctx.lineWidth = 2;
  ctx.strokeRect(bar.x - width / 2 - 2, chartArea.top, width + 4, chartArea.bottom - chartArea.top);
}

function mark(chart, figure, dataset, group, bar, colours) {
  const c = chart.ctx;
  const y = chart.scales.y;
  const log = y.type === "logarithmic";
  const width = Math.max(bar.width ?? 12, 6);
  if (group === chart.$chosen) chosen(chart, bar, width);
  if (figure.kind === "box" && group.box && (!log || group.box[0] > 0)) box(c, y, group, bar.x, width, dataset.colour);
  else if (group.low !== null && (!log || group.low > 0)) whisker(c, bar.x, y.getPixelForValue(group.low), y.getPixelForValue(group.high), width, colours.ink);
  const radius = width < 14 ? 1.6 : 2.4;
  for (const [at, [value]] of group.points.entries()) {
    if (!log || value > 0) dot(c, bar.x + offset(at, group.points.length, width), y.getPixelForValue(value), radius, colours.ink, colours.paper);
  }
  if (isBare(figure) && !(figure.kind === "box" && group.box)) {
    marker(c, dataset.marker, bar.x, y.getPixelForValue(group.center), Math.min(4.5, width / 3), dataset.colour, group.n === 1);
  } else if (chart.data.datasets.length > 1 && !isBare(figure)) {
    marker(c, dataset.marker, bar.x, chart.chartArea.bottom - 9, Math.min(4.5, width / 3), dataset.colour, group.n === 1);
  }
}

function marks(figure) {
  return {
    id: "poolmark-marks",
    afterDatasetsDraw(chart) {
      const colours = { ink: token("--ink"), paper: token("--paper") };
      chart.ctx.save();
      if (figure.kind === "ratio") unity(chart);
      for (const [series, dataset] of chart.data.datasets.entries()) {
        for (const [index, bar] of chart.getDatasetMeta(series).data.entries()) {
          const group = dataset.groups[index];
          if (group) mark(chart, figure, dataset, group, bar, colours);
        }
      }
      chart.ctx.restore();
    },
  };
}

export function build(figure) {
  const zero = figure.kind === "bars";
  return {
    type: "bar",
    data: data(figure),
    options: options({ x: placeAxis(figure.x.label), y: valueAxis(figure, { zero }) }),
    plugins: [marks(figure)],
  };
}

/** The group whose column is under a place of the canvas. */
export function hit(chart, x, y) {
  for (const [series, dataset] of chart.data.datasets.entries()) {
    for (const [index, bar] of chart.getDatasetMeta(series).data.entries()) {
      const group = dataset.groups[index];
      if (group && Math.abs(x - bar.x) <= (bar.width ?? 8) / 2 + 1 && y > chart.chartArea.top - 8) return group;
    }
  }
  return null;
}
