// Figure (plain data in the page) -> Chart.js. Adds nothing: every number drawn is in the data.
import { BarController, BarElement, CategoryScale, Chart, LineController, LineElement, LinearScale, LogarithmicScale, PointElement, ScatterController } from "chart.js";
import * as bars from "./marks/bars.js";
import * as heat from "./marks/heat.js";
import * as lines from "./marks/lines.js";
import * as scatter from "./marks/scatter.js";
import { shown, token } from "./marks/shared.js";

Chart.register(BarController, BarElement, CategoryScale, LineController, LineElement, LinearScale, LogarithmicScale, PointElement, ScatterController);

const KINDS = { heat, lines, scatter };
const drawn = new Set();

function nameOf(figure, group) {
  return [figure.x.values[group.x], figure.series[group.series].name].filter(Boolean).join(", ");
}

function words(figure, group) {
  if (figure.kind === "scatter") return `${nameOf(figure, group)}: ${shown(group.across.center)} ${figure.x.unit} across, ${shown(group.center)} ${figure.unit} up, n = ${group.n}`;
  const name = nameOf(figure, group);
  const spread = group.low === null ? "a single run" : `${shown(group.low)} to ${shown(group.high)}`;
  const runs = `n = ${group.n}${group.configurations > 1 ? ` of ${group.configurations} configurations` : ""}`;
  const verdict = group.verdict ? `, ${group.verdict}` : "";
  return `${name}: ${shown(group.center)} ${figure.unit}, ${spread}, ${runs}${verdict}`;
}

function listen(canvas, chart, figure, hit) {
  const reading = canvas.closest("figure")?.querySelector("[data-reading]");
  const order = [...figure.groups].sort((a, b) => a.x - b.x || a.series - b.series);
  const addressOf = (group) => group?.points[0]?.[1];
  let at = -1;
  const read = (group) => {
    chart.$chosen = group ?? null;
    chart.draw();
    if (!reading) return;
    reading.replaceChildren(group ? words(figure, group) : "");
    const address = addressOf(group);
    if (!address) return;
    const link = document.createElement("a");
    link.href = address;
    link.textContent = "first line";
    reading.append(" · ", link);
  };
  const under = (event) => {
    const frame = canvas.getBoundingClientRect();
    return hit(chart, event.clientX - frame.left, event.clientY - frame.top, figure);
  };
  canvas.addEventListener("mousemove", (event) => {
    const group = under(event);
    if (group && group !== chart.$chosen) read(group);
    canvas.classList.toggle("is-over", Boolean(group));
  });
  canvas.addEventListener("click", (event) => {
    const address = addressOf(under(event));
    if (address) location.assign(address);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      event.preventDefault();
      at = (at + step + order.length) % order.length;
      read(order[at]);
    } else if (event.key === "Enter" && addressOf(order[at])) {
      location.assign(addressOf(order[at]));
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
  const kind = KINDS[figure.kind] ?? bars;
  const chart = new Chart(canvas, kind.build(figure));
  // What is drawn can be asked of the canvas: its numbers are those of the table.
  canvas.chart = chart;
  listen(canvas, chart, figure, kind.hit);
  drawn.add({ chart, canvas, figure, kind });
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
  for (const { chart, figure, kind } of drawn) {
    const { data, options } = kind.build(figure);
    chart.data = data;
    chart.options = options;
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
