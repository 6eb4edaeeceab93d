// Figure (plain data in the page) -> Chart.js. Adds nothing: every number drawn is in the data.
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  LinearScale,
  LogarithmicScale,
  PointElement,
  ScatterController,
} from "chart.js";
import { axes, shown } from "./axes.js";
import * as bars from "./marks/bars.js";
import * as box from "./marks/box.js";
import * as dots from "./marks/dots.js";
import * as heat from "./marks/heat.js";
import * as lines from "./marks/lines.js";
import * as ratio from "./marks/ratio.js";
import * as scatter from "./marks/scatter.js";
import { listen } from "./reading.js";

Chart.register(BarController, BarElement, CategoryScale, LinearScale, LogarithmicScale, PointElement, ScatterController);

const KINDS = { bars, box, dots, heat, lines, ratio, scatter };
const drawn = new Set();

function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The colours of the theme, read once for a drawing. */
function pens() {
  const colours = Array.from({ length: 8 }, (_, at) => token(`--series-${at + 1}`));
  return {
    ink: token("--ink"),
    paper: token("--paper"),
    rule: token("--rule-strong"),
    muted: token("--muted"),
    accent: token("--accent"),
    heat: token("--heat"),
    onHeat: token("--on-heat"),
    font: `13px ${token("--sans")}`,
    shown,
    series: (series) => colours[series.style],
  };
}

function config(figure, canvas) {
  const [kind, pen] = [KINDS[figure.kind] ?? bars, pens()];
  return {
    type: kind.type,
    data: { labels: figure.x.values, datasets: kind.datasets(figure, pen) },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      events: [],
      layout: { padding: { top: 8, right: kind.padding?.(figure, canvas.clientWidth) ?? 8 } },
      scales: kind.scales(figure, axes(token)),
    },
  };
}

/** The marks of the kind over what Chart.js draws; they tell where each group stands. */
function marks(state) {
  return {
    id: "poolmark-marks",
    afterDatasetsDraw(chart) {
      const [c, pen] = [chart.ctx, pens()];
      c.save();
      c.font = pen.font;
      state.marks = (KINDS[state.figure.kind] ?? bars).draw(c, chart, state.figure, pen);
      const chosen = state.marks.find((mark) => mark.group === state.chosen);
      if (chosen) {
        c.strokeStyle = pen.accent;
        c.lineWidth = 2;
        c.strokeRect(...chosen.box);
      }
      c.restore();
    },
  };
}

const LONGEST = 36;

/** A name as it is drawn: the middle of a long one left out, or it would take the place of the figure. */
function short(name) {
  const signs = [...name];
  return signs.length <= LONGEST ? name : `${signs.slice(0, 22).join("")}…${signs.slice(-13).join("")}`;
}

/** The figure with short names, for the canvas; the reading below it and the table have the whole ones. */
function shortened(figure) {
  const series = figure.series.map((one) => ({ ...one, name: short(one.name) }));
  return { ...figure, x: { ...figure.x, values: figure.x.values.map(short) }, series };
}

function draw(canvas) {
  const block = document.getElementById(canvas.dataset.figure);
  if (!block) return;
  const figure = JSON.parse(block.textContent);
  if (!figure.groups) return;
  const order = [...figure.groups, ...(figure.empty ?? [])].sort((a, b) => a.x - b.x || a.series - b.series);
  const state = { figure, order, chosen: null, marks: [] };
  const named = shortened(figure);
  const chart = new Chart(canvas, { ...config(named, canvas), plugins: [marks(state)] });
  // What is drawn can be asked of the canvas: its numbers are those of the table.
  canvas.chart = chart;
  canvas.state = state;
  listen(canvas, state, () => chart.draw());
  drawn.add({ chart, canvas, figure: named });
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
  for (const { chart, canvas, figure } of drawn) {
    const { data, options } = config(figure, canvas);
    chart.data = data;
    chart.options = options;
    chart.update("none");
  }
}

// A canvas is not set anew when a font arrives: what was drawn before it is drawn again.
document.fonts.load(`13px ${token("--sans")}`).then(
  (faces) => faces.length && recolour(),
  () => {},
);
new MutationObserver(recolour).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
addEventListener("beforeprint", () => {
  for (const { chart } of drawn) chart.resize();
});
