// Figure (plain data in the page) -> Chart.js. Adds nothing: every number drawn is in the data.
import { BarController, BarElement, CategoryScale, Chart, LinearScale, LogarithmicScale } from "chart.js";
import { marks } from "./marks/bars.js";

Chart.register(BarController, BarElement, CategoryScale, LinearScale, LogarithmicScale);

const drawn = new Set();

function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function shown(value) {
  if (value === 0) return "0";
  const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const text = value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
  return Number(value.toPrecision(3)) >= 1000 ? Number(value.toPrecision(3)).toLocaleString("en").replaceAll(",", "\u202f") : text;
}

/** A label of the axis: all of them with as many places as the finest needs, so that 50 stands beside 100 and not 50.0. */
function tick(value, all) {
  const places = Math.max(...all.map((one) => Math.min(4, String(Number(one.value.toPrecision(6))).split(".")[1]?.length ?? 0)));
  return value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places }).replaceAll(",", "\u202f");
}

function data(figure) {
  const log = figure.scale === "log";
  return {
    labels: figure.x.values,
    datasets: figure.series.map((series, at) => {
      const colour = token(`--series-${series.style + 1}`);
      const groups = figure.x.values.map((_, x) => figure.groups.find((group) => group.x === x && group.series === at));
      const single = (index) => groups[index]?.n === 1;
      return {
        label: series.name,
        data: groups.map((group) => (group ? group.center : null)),
        groups,
        marker: series.marker,
        colour,
        // A single run is a hollow mark; on a log scale a bar would have no foot, so only the mark is drawn.
        backgroundColor: (context) => (log || single(context.dataIndex) ? "transparent" : `${colour}b0`),
        borderColor: log ? "transparent" : colour,
        borderWidth: 1.25,
        categoryPercentage: 0.78,
        barPercentage: 0.92,
        maxBarThickness: 64,
      };
    }),
  };
}

function highest(figure) {
  return Math.max(...figure.groups.map((g) => Math.max(g.center, g.high ?? 0, ...g.points.map((p) => p[0]))), 0);
}

function options(figure) {
  const ink = token("--ink");
  const muted = token("--muted");
  const font = { family: token("--sans"), size: 13 };
  const ticks = { color: muted, font };
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    events: [],
    layout: { padding: { top: 8, right: 8 } },
    scales: {
      x: {
        grid: { display: false },
        border: { color: muted },
        ticks: { ...ticks, color: ink, maxRotation: 60, autoSkip: false },
        title: { display: Boolean(figure.x.label), text: figure.x.label, color: muted, font },
      },
      y: {
        type: figure.scale === "log" ? "logarithmic" : "linear",
        beginAtZero: true,
        suggestedMax: highest(figure) * 1.04,
        grid: { color: token("--rule") },
        border: { display: false },
        ticks: { ...ticks, callback: (value, _at, all) => tick(value, all), maxTicksLimit: 7 },
        title: { display: true, text: figure.unit, color: muted, font },
      },
    },
  };
}

function words(figure, group) {
  const name = [figure.x.values[group.x], figure.series[group.series].name].filter(Boolean).join(", ");
  const spread = group.low === null ? "a single run" : `${shown(group.low)} to ${shown(group.high)}`;
  const runs = `n = ${group.n}${group.configurations > 1 ? ` of ${group.configurations} configurations` : ""}`;
  const verdict = group.verdict ? `, ${group.verdict}` : "";
  return `${name}: ${shown(group.center)} ${figure.unit}, ${spread}, ${runs}${verdict}`;
}

function listen(canvas, chart, figure) {
  const reading = canvas.closest("figure")?.querySelector("[data-reading]");
  const order = [...figure.groups].sort((a, b) => a.x - b.x || a.series - b.series);
  let at = -1;
  const read = (group) => {
    chart.$chosen = group ?? null;
    chart.draw();
    if (!reading) return;
    reading.replaceChildren(group ? words(figure, group) : "");
    const address = group?.points[0]?.[1];
    if (!address) return;
    const link = document.createElement("a");
    link.href = address;
    link.textContent = "first line";
    reading.append(" · ", link);
  };
  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    for (const [series, dataset] of chart.data.datasets.entries()) {
      for (const [index, bar] of chart.getDatasetMeta(series).data.entries()) {
        const group = dataset.groups[index];
        if (group && Math.abs(x - bar.x) <= (bar.width ?? 8) / 2 + 1 && y > chart.chartArea.top - 8) return group;
      }
    }
    return null;
  };
  canvas.addEventListener("mousemove", (event) => {
    const group = under(event);
    if (group && group !== chart.$chosen) read(group);
    canvas.classList.toggle("is-over", Boolean(group));
  });
  canvas.addEventListener("click", (event) => {
    const address = under(event)?.points[0]?.[1];
    if (address) location.assign(address);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      event.preventDefault();
      at = (at + step + order.length) % order.length;
      read(order[at]);
    } else if (event.key === "Enter" && order[at]?.points[0]?.[1]) {
      location.assign(order[at].points[0][1]);
    } else if (event.key === "Escape") {
      at = -1;
      read(null);
    }
  });
}

function draw(canvas) {
  const block = document.getElementById(canvas.dataset.figure);
  if (!block) return;
  const figure = JSON.parse(block.textContent);
  const chart = new Chart(canvas, { type: "bar", data: data(figure), options: options(figure), plugins: [marks(token)] });
  // What is drawn can be asked of the canvas: its numbers are those of the table.
  canvas.chart = chart;
  listen(canvas, chart, figure);
  drawn.add({ chart, canvas, figure });
}

export function drawAll(scope) {
  for (const one of drawn) {
    if (one.canvas.isConnected) continue;
    one.chart.destroy();
    drawn.delete(one);
  }
  for (const canvas of scope.querySelectorAll("canvas[data-figure]")) if (!Chart.getChart(canvas)) draw(canvas);
}

function recolour() {
  for (const { chart, figure } of drawn) {
    chart.data = data(figure);
    chart.options = options(figure);
    chart.update("none");
  }
}

// A canvas is not set anew when a font arrives: what was drawn before it is drawn again.
document.fonts.load(`13px ${token("--sans")}`).then((faces) => faces.length && recolour(), () => {});

new MutationObserver(recolour).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
addEventListener("beforeprint", () => {
  for (const { chart } of drawn) chart.resize();
});
