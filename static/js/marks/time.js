// Curves over time: lines that end at gaps, bands over repetitions, shaded phases; zoom by dragging; from a point to its raw line.
import { shown } from "../axes.js";
import { add } from "../figure.js";
import { makeTip } from "../tip.js";
import { label, marker, nameEnds, padding } from "./shapes.js";

const [LINE, ALONE, NAMES, NEAR, DRAG, MARK] = [1.5, 1.5, 18, 24, 6, 3.2];
const PAGE = 1000; // lines of a file on one page of the raw view

function scales(figure, axis) {
  return {
    x: { ...axis.numbers(figure.x.label, figure.axes.places), grid: { display: false } },
    y: axis.numbers("", figure.axes.values),
  };
}

const segments = ({ t, breaks }) => [0, ...breaks].map((start, at) => [start, breaks[at] ?? t.length]);
const bounds = (chart) => chart.chartArea;

/** The pixels of the points of a curve; null where a value has no place on the scale. */
function places(chart, curve, key = "v") {
  const { x, y } = chart.scales;
  const log = y.type === "logarithmic";
  return curve[key].map((value, at) => (log && value <= 0 ? null : [x.getPixelForValue(curve.t[at]), y.getPixelForValue(value)]));
}

function clipped(c, chart, body) {
  const { left, top, right, bottom } = bounds(chart);
  c.save();
  c.beginPath();
  c.rect(left, top - NAMES, right - left, bottom - top + NAMES);
  c.clip();
  body();
  c.restore();
}

function phases(c, chart, figure, pen) {
  const { left, top, right, bottom } = bounds(chart);
  const at = (value) => Math.min(right, Math.max(left, chart.scales.x.getPixelForValue(value)));
  for (const [order, phase] of figure.phases.entries()) {
    const [from, to] = [at(phase.start), at(phase.end)];
    c.fillStyle = pen.rule;
    c.globalAlpha = order % 2 ? 0.1 : 0.18;
    c.fillRect(from, top, to - from, bottom - top);
    c.globalAlpha = 1;
    c.fillRect(from, top - 3, to - from, 3);
    if (to - from < NEAR) continue;
    c.fillStyle = pen.muted;
    c.textAlign = "center";
    c.textBaseline = "alphabetic";
    let name = phase.name;
    while (name.length > 1 && c.measureText(name).width > to - from) name = `${name.replace(/…$/, "").slice(0, -1)}…`;
    c.fillText(name, (from + to) / 2, top - 6);
  }
}

function line(c, points) {
  if (points.length === 1) {
    c.moveTo(points[0][0] - ALONE, points[0][1]);
    c.lineTo(points[0][0] + ALONE, points[0][1]);
  }
  for (const [at, [x, y]] of points.entries()) c[at ? "lineTo" : "moveTo"](x, y);
}

function draw(c, chart, figure, pen) {
  const ends = [];
  clipped(c, chart, () => {
    phases(c, chart, figure, pen);
    for (const curve of figure.curves) {
      c.strokeStyle = pen.series(figure.series[curve.series]);
      c.fillStyle = c.strokeStyle;
      c.lineJoin = "round";
      c.lineWidth = LINE;
      const middle = places(chart, curve);
      if (curve.low) {
        const [low, high] = [places(chart, curve, "low"), places(chart, curve, "high")];
        c.globalAlpha = 0.22;
        for (const [start, end] of segments(curve)) {
          c.beginPath();
          line(c, [...low.slice(start, end), ...high.slice(start, end).reverse()].filter(Boolean));
          c.fill();
        }
        c.globalAlpha = 1;
      }
      c.beginPath();
      for (const [start, end] of segments(curve)) line(c, middle.slice(start, end).filter(Boolean));
      c.stroke();
      const series = figure.series[curve.series];
      const colour = pen.series(series);
      for (const place of curve.marked.map((at) => middle[at]))
        if (place) marker(c, series.marker, ...place, MARK, colour, pen.paper, false);
      if (middle.at(-1)) ends.push({ series, colour, x: bounds(chart).right + 3, y: middle.at(-1)[1] });
    }
  });
  if (padding(figure, chart.width) > 8) nameEnds(c, chart, ends, pen);
  const state = chart.canvas.state;
  if (state?.point) mark(c, chart, state.point, pen);
  if (state?.drag) selection(c, chart, state.drag, pen);
  return [];
}

/** The point that is looked at: a cross, since a dot is a run. */
function mark(c, chart, { curve, at }, pen) {
  const place = places(chart, { t: [curve.t[at]], v: [curve.v[at]] })[0];
  if (!place) return;
  const [x, y] = place;
  c.strokeStyle = pen.accent;
  c.lineWidth = 2;
  c.beginPath();
  for (const [dx, dy] of [
    [7, 0],
    [0, 7],
  ]) {
    c.moveTo(x - dx, y - dy);
    c.lineTo(x + dx, y + dy);
  }
  c.stroke();
}

function selection(c, chart, [from, to], pen) {
  const { top, bottom } = bounds(chart);
  c.fillStyle = pen.accent;
  c.globalAlpha = 0.18;
  c.fillRect(Math.min(from, to), top, Math.abs(to - from), bottom - top);
  c.globalAlpha = 1;
  const value = (pixel) => shown(chart.scales.x.getValueForPixel(pixel));
  label(c, `${value(Math.min(from, to))} to ${value(Math.max(from, to))}`, (from + to) / 2, top + 12, pen.ink, pen.paper, "center");
}

/** The address of the line that a point was read from; empty for a band. */
function raw(curve, at) {
  if (!curve.lines) return "";
  const start = Math.floor((curve.lines[at] - 1) / PAGE) * PAGE + 1;
  const page = start > 1 ? `${curve.raw.includes("?") ? "&" : "?"}from=${start}` : "";
  return `${curve.raw}${page}#L${curve.lines[at]}`;
}

function words(figure, { curve, at }) {
  const of = [figure.series[curve.series].name, `at ${shown(curve.t[at])}`].filter(Boolean).join(", ");
  const band = curve.low ? ` (${shown(curve.low[at])} to ${shown(curve.high[at])}, n = ${curve.n[at]})` : "";
  return { value: `${shown(curve.v[at])} ${figure.unit}${band}`, of, hint: curve.lines ? "Click: the raw line" : "" };
}

/** Put the point under the figures, with a link to its line. */
function tell(figure, point) {
  const place = document.querySelector("[data-reading]");
  if (!place) return null;
  const { value, of } = words(figure, point);
  place.replaceChildren(`${figure.title}, ${of}: ${value} `);
  const address = raw(point.curve, point.at);
  if (!address) return null;
  const link = document.createElement("a");
  link.href = address;
  link.textContent = `line ${point.curve.lines[point.at]}`;
  place.append(link);
  return link;
}

/** The nearest point of any curve by its time, then by its height; null where none is near. */
function nearest(chart, figure, px, py) {
  const time = chart.scales.x.getValueForPixel(px);
  let [best, near] = [null, NEAR * NEAR * 4];
  for (const curve of figure.curves) {
    let [low, high] = [0, curve.t.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (curve.t[middle] < time) low = middle + 1;
      else high = middle;
    }
    for (let at = Math.max(0, low - 3); at < Math.min(curve.t.length, low + 3); at += 1) {
      const place = places(chart, { t: [curve.t[at]], v: [curve.v[at]] })[0];
      const distance = place ? (place[0] - px) ** 2 * 4 + (place[1] - py) ** 2 : near;
      if (distance < near) [best, near] = [{ curve, at }, distance];
    }
  }
  return best;
}

/** The page of the curves alone, with the time between the two; beside a comparison another one. */
function zoom(canvas, from, to) {
  const address = new URL(canvas.closest("[data-zoom]")?.dataset.zoom ?? location.href, location.href);
  const text = (value) => String(Number(value.toPrecision(6)));
  address.searchParams.set("from", text(Math.min(from, to)));
  address.searchParams.set("to", text(Math.max(from, to)));
  location.assign(address);
}

function listen(canvas, state, redraw) {
  const tip = makeTip(canvas);
  const { chart, figure } = { chart: canvas.chart, figure: state.figure };
  const inside = (x) => Math.min(chart.chartArea.right, Math.max(chart.chartArea.left, x));
  canvas.addEventListener("pointerdown", (event) => {
    // What is frozen has no other part of the time.
    if (event.button || !event.isPrimary || !canvas.closest("[data-zoom], [data-curves]")) return;
    state.drag = [inside(event.offsetX), inside(event.offsetX)];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (state.drag) state.drag[1] = inside(event.offsetX);
    state.point = state.drag ? null : nearest(chart, figure, event.offsetX, event.offsetY);
    if (state.point) tip.show(words(figure, state.point), event.offsetX, event.offsetY);
    else tip.hide();
    redraw();
  });
  canvas.addEventListener("pointerup", () => {
    const drag = state.drag;
    state.drag = null;
    if (drag && Math.abs(drag[1] - drag[0]) >= DRAG) zoom(canvas, ...drag.map((pixel) => chart.scales.x.getValueForPixel(pixel)));
  });
  canvas.addEventListener("pointercancel", () => {
    state.drag = null;
    redraw();
  });
  canvas.addEventListener("pointerleave", () => {
    tip.hide();
    if (state.drag || document.activeElement === canvas) return;
    state.point = null;
    redraw();
  });
  canvas.addEventListener("click", (event) => {
    const point = nearest(chart, figure, event.offsetX, event.offsetY);
    if (point) tell(figure, point);
  });
  canvas.addEventListener("keydown", (event) => {
    const { curve, at } = state.point ?? { curve: figure.curves[0], at: -1 };
    const order = figure.curves.indexOf(curve);
    const steps = { ArrowRight: 1, ArrowLeft: -1, PageDown: 20, PageUp: -20, Home: -curve.t.length, End: curve.t.length };
    const aside = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Enter" && state.point) tell(figure, state.point)?.focus();
    else if (aside) {
      const next = figure.curves[(order + aside + figure.curves.length) % figure.curves.length];
      state.point = { curve: next, at: Math.max(0, Math.min(at, next.t.length - 1)) };
    } else if (steps[event.key]) state.point = { curve, at: Math.max(0, Math.min(curve.t.length - 1, at + steps[event.key])) };
    else return;
    event.preventDefault();
    if (event.key !== "Enter") tell(figure, state.point);
    redraw();
  });
}

add({ time: { type: "scatter", KEY: NAMES + 4, datasets: () => [], scales, draw, listen, padding } });

export { drawAll } from "../figure.js";
