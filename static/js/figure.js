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
import { kind as bars } from "./marks/bars.js";
import { listen } from "./reading.js";

Chart.register(BarController, BarElement, CategoryScale, LinearScale, LogarithmicScale, PointElement, ScatterController);

const KINDS = { bars };
const drawn = new Set();
const MANY = 8;
const NAMES = 64; // pixels that the numbers to the left of a figure take, about
const measure = document.createElement("canvas").getContext("2d");

const kindOf = (figure) => KINDS[figure.kind] ?? bars;

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
  const [kind, pen] = [kindOf(figure), pens()];
  measure.font = pen.font;
  const width = (text) => measure.measureText(text).width;
  const slot = (places) => (canvas.parentNode.clientWidth - NAMES) / Math.max(1, places);
  return {
    type: kind.type,
    data: { labels: figure.x.values, datasets: kind.datasets(figure, pen) },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      events: [],
      layout: { padding: { top: kind.KEY ?? 8, right: kind.padding?.(figure, canvas.parentNode.clientWidth) ?? 8 } },
      scales: aligned(figure, canvas, kind.scales(figure, axes(token, width, slot))),
    },
  };
}

/** Panels beside each other whose values stand on the left have numbers of one width there, so that their frames are aligned. */
function aligned(figure, canvas, scales) {
  if (!canvas.closest(".panels-small, .plate-one") || kindOf(figure).namesLeft) return scales;
  const afterFit = (scale) => {
    scale.width = Math.max(scale.width, NAMES);
  };
  return { ...scales, y: { ...scales.y, afterFit } };
}

/** The marks of the kind over what Chart.js draws; they tell where each group stands. */
function marks(state) {
  return {
    id: "poolmark-marks",
    afterDatasetsDraw(chart) {
      const [c, pen] = [chart.ctx, pens()];
      c.save();
      c.font = pen.font;
      const kind = kindOf(state.figure);
      state.marks = kind.draw(c, chart, state.figure, pen);
      const series = state.series ?? state.chosen?.series;
      if (series !== undefined && state.figure.series.length > MANY && kind.crowded) {
        // The others fade behind the series that is looked at.
        c.globalAlpha = 0.8;
        c.fillStyle = pen.paper;
        c.fillRect(chart.chartArea.left, 0, chart.width - chart.chartArea.left, chart.chartArea.bottom + 8);
        c.globalAlpha = 1;
        kind.draw(
          c,
          chart,
          { ...state.figure, groups: state.figure.groups.filter((group) => group.series === series), empty: [] },
          pen,
        );
      }
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

function draw(canvas, figure) {
  const order = [...figure.groups, ...(figure.empty ?? [])].sort((a, b) => a.x - b.x || a.series - b.series);
  const state = { figure, order, chosen: null, marks: [] };
  const chart = new Chart(canvas, { ...config(figure, canvas), plugins: [marks(state)] });
  // What is drawn can be asked of the canvas: its numbers are those of the table.
  canvas.chart = chart;
  canvas.parentNode.querySelector(".figure-still")?.remove();
  canvas.state = state;
  (kindOf(figure).listen ?? listen)(canvas, state, () => chart.draw());
  const one = { chart, canvas, figure, width: canvas.parentNode.clientWidth };
  drawn.add(one);
  resized.observe(canvas.parentNode);
}

/** Labels are laid out for a width: they are made again for another one. */
const resized = new ResizeObserver((entries) => {
  for (const { target } of entries)
    for (const one of drawn) {
      if (one.canvas.parentNode !== target || one.width === target.clientWidth) continue;
      one.width = target.clientWidth;
      update(one);
    }
});

function update({ chart, canvas, figure }) {
  const { data, options } = config(figure, canvas);
  chart.data = data;
  chart.options = options;
  chart.update("none");
}

/** The figure of a canvas; null where there is nothing to draw. */
function read(canvas) {
  const block = document.getElementById(canvas.dataset.figure);
  const figure = block ? JSON.parse(block.textContent) : null;
  return figure?.groups ? figure : null;
}

/** Kinds of figure beside bars. */
export const add = (kinds) => Object.assign(KINDS, kinds);

export function drawAll(scope) {
  for (const one of drawn) {
    if (one.canvas.isConnected) continue;
    resized.unobserve(one.canvas.parentNode);
    one.chart.destroy();
    drawn.delete(one);
  }
  for (const canvas of scope.querySelectorAll("canvas[data-figure]")) {
    const figure = Chart.getChart(canvas) ? null : read(canvas);
    if (figure) draw(canvas, figure);
  }
}

function recolour() {
  for (const one of drawn) update(one);
}

// A canvas is not set anew when a font arrives: what was drawn before it is drawn again.
document.fonts.load(`13px ${token("--sans")}`).then(
  (faces) => faces.length && recolour(),
  () => {},
);
new MutationObserver(recolour).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"])
  matchMedia(query).addEventListener("change", recolour);
addEventListener("beforeprint", () => {
  for (const { chart } of drawn) chart.resize();
});
