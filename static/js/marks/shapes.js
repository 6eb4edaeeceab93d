// What several kinds of figure draw: markers, whiskers, repetitions, the frame around a chosen group.
/** How far beside its whisker each run is drawn: on it, or next to the runs that would cover it, up to `half`. In pixels. */
export function spread(places, r, half) {
  const offsets = places.map(() => 0);
  const tries = [0];
  for (let step = 1; step <= half / (2 * r); step += 1) tries.push(step * 2 * r, -step * 2 * r);
  const latest = new Map(); // by offset
  for (const at of places.map((_, at) => at).sort((a, b) => places[a] - places[b])) {
    offsets[at] = tries.find((one) => !(places[at] - latest.get(one) < 1.7 * r)) ?? 0;
    latest.set(offsets[at], places[at]);
  }
  return offsets;
}

/** Every run of a group on its whisker, as a dot, hollow at a bound, from which an arrow leads; a single run is the mark itself. */
export function runs(c, group, at, scale, r, half, pen, lying = false) {
  if (group.n < 2) return;
  const points = group.points.filter(([value]) => fits(scale, value));
  const places = points.map(([value]) => scale.getPixelForValue(value));
  for (const [index, aside] of spread(places, r, half).entries())
    dot(c, ...(lying ? [places[index], at + aside] : [at + aside, places[index]]), r, pen, Boolean(points[index][2]));
  for (const [index, [value, , side]] of points.entries())
    if (side && !(value === group.center && side === group.bound))
      arrow(c, ...(lying ? [places[index], at] : [at, places[index]]), side, pen.ink, lying);
}

const PATHS = {
  triangleDown: (c, x, y, r) =>
    polygon(c, x, y, r, [
      [0, 1.1],
      [1, -0.8],
      [-1, -0.8],
    ]),
  rect: (c, x, y, r) => c.rect(x - r * 0.85, y - r * 0.85, r * 1.7, r * 1.7),
  triangle: (c, x, y, r) =>
    polygon(c, x, y, r, [
      [0, -1.1],
      [1, 0.8],
      [-1, 0.8],
    ]),
  rectRot: (c, x, y, r) =>
    polygon(c, x, y, r, [
      [0, -1.2],
      [1.2, 0],
      [0, 1.2],
      [-1.2, 0],
    ]),
  star: (c, x, y, r) =>
    polygon(
      c,
      x,
      y,
      r,
      [...Array(10).keys()].map((at) => {
        const [angle, reach] = [(at * Math.PI) / 5, at % 2 ? 0.55 : 1.3];
        return [Math.sin(angle) * reach, -Math.cos(angle) * reach];
      }),
    ),
  dash: (c, x, y, r) => c.rect(x - r * 1.3, y - r * 0.4, r * 2.6, r * 0.8),
  cross: (c, x, y, r) => polygon(c, x, y, r, PLUS),
  crossRot: (c, x, y, r) =>
    polygon(
      c,
      x,
      y,
      r,
      PLUS.map(([a, b]) => [(a - b) * 0.75, (a + b) * 0.75]),
    ),
};
const PLUS = [
  [-0.4, -1.2],
  [0.4, -1.2],
  [0.4, -0.4],
  [1.2, -0.4],
  [1.2, 0.4],
  [0.4, 0.4],
  [0.4, 1.2],
  [-0.4, 1.2],
  [-0.4, 0.4],
  [-1.2, 0.4],
  [-1.2, -0.4],
  [-0.4, -0.4],
];

function polygon(c, x, y, r, corners) {
  for (const [at, [dx, dy]] of corners.entries()) c[at ? "lineTo" : "moveTo"](x + dx * r, y + dy * r);
  c.closePath();
}

/** The marker of a series: filled, or hollow where it stands for a single run. */
export function marker(c, shape, x, y, r, colour, paper, hollow) {
  c.beginPath();
  (PATHS[shape] ?? PATHS.triangleDown)(c, x, y, r); // `circle` of older records: a dot is a run
  c.fillStyle = hollow ? paper : colour;
  c.fill();
  // The rim in the colour of the paper would cover a small marker.
  if (!hollow && r < 2.5) return;
  c.strokeStyle = hollow ? colour : paper;
  c.lineWidth = hollow ? Math.min(1.75, r / 2 + 0.25) : 1;
  c.stroke();
}

/** An interval between two pixels of one direction, at a place of the other, with room around it; no cap at an `open` end. */
export function whisker(c, at, low, high, arm, pen, { lying = false, open = [] } = {}) {
  const line = (a, b, d, e) => (lying ? [c.moveTo(b, a), c.lineTo(e, d)] : [c.moveTo(a, b), c.lineTo(d, e)]);
  c.beginPath();
  line(at, low, at, high);
  if (!open.includes("below")) line(at - arm, low, at + arm, low);
  if (!open.includes("above")) line(at - arm, high, at + arm, high);
  for (const [ink, width] of [
    [pen.paper, 3.25],
    [pen.ink, 1.25],
  ]) {
    c.strokeStyle = ink;
    c.lineWidth = width;
    c.stroke();
  }
}

const ARROW = 13;

/** An arrow from a bound to where the value lies, in pixels. `lying`: the values run to the right, not up. */
export function arrow(c, x, y, bound, ink, lying = false) {
  const way = (bound === "above") === lying ? 1 : -1;
  const point = (along, aside) => (lying ? [x + along * way, y + aside] : [x + aside, y + along * way]);
  c.strokeStyle = ink;
  c.lineWidth = 1.5;
  c.beginPath();
  c.moveTo(x, y);
  c.lineTo(...point(ARROW, 0));
  c.moveTo(...point(ARROW - 4, -3.5));
  c.lineTo(...point(ARROW, 0));
  c.lineTo(...point(ARROW - 4, 3.5));
  c.stroke();
}

/** The label of a bound beside its arrow, turned where it is wider than `room`, below the bound where
 * the picture ends above it; none where there is no room at all. */
export function boundLabel(c, text, x, y, bound, room, pen, lying = false) {
  const beyond = bound === "above" ? ARROW + 3 : 7;
  if (lying) return label(c, text, x + beyond, y, pen.ink, pen.paper);
  if (room < 10) return;
  const long = c.measureText(text).width;
  if (long <= room) return label(c, text, x, y - beyond - 6, pen.ink, pen.paper, "center");
  const above = y - beyond - long > 0;
  c.save();
  c.translate(x, above ? y - beyond : y + 7);
  c.rotate(-Math.PI / 2);
  label(c, text, 0, 0, pen.ink, pen.paper, above ? "left" : "right");
  c.restore();
}

/** A dashed line across a group where a model has its value. */
export function modelLine(c, group, at, half, scale, pen, lying = false) {
  if (group.model === undefined || !fits(scale, group.model)) return;
  const place = scale.getPixelForValue(group.model);
  c.save();
  c.setLineDash([4, 3]);
  c.strokeStyle = pen.ink;
  c.lineWidth = 1.75;
  c.beginPath();
  c.moveTo(...(lying ? [place, at - half] : [at - half, place]));
  c.lineTo(...(lying ? [place, at + half] : [at + half, place]));
  c.stroke();
  c.restore();
}

/** The marker of the series at each centre of a group; hollow for a single run. */
export function centres(c, series, group, at, r, scale, pen, lying = false) {
  for (const value of unlike(group) ? group.parts : [group.center]) {
    const place = scale.getPixelForValue(value);
    marker(c, series.marker, ...(lying ? [place, at] : [at, place]), r, pen.series(series), pen.paper, group.n === 1);
  }
}

/** A short line at each centre of a group; hollow for a single run. */
export function centreLines(c, group, at, half, scale, ink, paper) {
  for (const value of unlike(group) ? group.parts : [group.center]) {
    const place = scale.getPixelForValue(value);
    const box = [at - half, place - 1.5, half * 2, 3];
    c.fillStyle = group.n === 1 ? paper : ink;
    c.fillRect(...box);
    if (group.n !== 1) continue;
    c.strokeStyle = ink;
    c.lineWidth = 1.5;
    c.strokeRect(...box);
  }
}

/** Whether the sessions of a group are too unlike to be one mark. */
export const unlike = (group) => (group.parts?.length ?? 0) > 1;

/** Whether a group has a whisker: one centre with both ends of its interval. */
export const whiskered = (group) => group.low !== null && group.high !== null && !unlike(group);

/** The text of an empty place in two words, turned where it is wider than `room`; a dash where there is none. */
export function emptySign(c, place, x, y, room, pen, align = "center") {
  const words = place.text.startsWith("not run") ? "not run" : "no value";
  c.save();
  c.translate(x, y);
  c.fillStyle = pen.muted;
  c.textBaseline = "middle";
  const wide = c.measureText(words).width > room;
  c.textAlign = wide ? "left" : align;
  if (wide && room >= 10) c.rotate(-Math.PI / 2);
  c.fillText(wide && room < 10 ? "–" : words, 0, 0);
  c.restore();
}

/** One run; hollow at a bound. */
export function dot(c, x, y, r, pen, hollow = false) {
  c.beginPath();
  c.arc(x, y, r, 0, 2 * Math.PI);
  c.fillStyle = hollow ? pen.paper : pen.ink;
  c.fill();
  c.strokeStyle = hollow ? pen.ink : pen.paper;
  c.lineWidth = Math.min(1, r * 0.4);
  c.stroke();
}

/** Whether a value has a place on the scale. */
export const fits = (scale, value) => value !== null && value !== undefined && (scale.type !== "logarithmic" || value > 0);

/** Scatter data of Chart.js that it does not draw itself: it sets the scales, and can be asked what is drawn. */
export function unseen(figure, place) {
  return figure.series.map((series, at) => ({
    label: series.name,
    data: figure.groups.filter((group) => group.series === at).map(place),
    pointRadius: 0,
    hitRadius: 0,
  }));
}

/** The names of many places: as many as there is room for. */
export const names = (list) => list.length > 60;

/** Text with room around it in the colour of the paper, so that lines do not run through it. */
export function label(c, text, x, y, ink, paper, align = "left") {
  c.textAlign = align;
  c.textBaseline = "middle";
  c.lineJoin = "round";
  c.lineWidth = 4;
  c.strokeStyle = paper;
  c.strokeText(text, x, y);
  c.fillStyle = ink;
  c.fillText(text, x, y);
}

const [SHARE, NARROW, LINE] = [0.3, 480, 15];

/** Room for the names of the lines to their right; where the figure is narrow, the legend alone names them. */
export function padding(figure, width) {
  const names = figure.series.map((series) => series.name).filter(Boolean);
  const room = 26 + 7 * Math.max(0, ...names.map((name) => name.length));
  return names.length > 1 && width >= NARROW ? Math.min(room, width * SHARE) : 8;
}

/** Names at the ends of the lines, each with its marker, moved apart where they would cover each other; of too many those that fit. */
export function nameEnds(c, chart, ends, pen) {
  ends.sort((a, b) => a.y - b.y);
  const { top, bottom } = chart.chartArea;
  const most = Math.floor((bottom - top) / LINE);
  const shown = ends.length <= most ? ends : apart(ends);
  let last = Number.NEGATIVE_INFINITY;
  for (const end of shown) {
    end.at = Math.max(end.y, last + LINE);
    last = end.at;
  }
  const over = Math.max(0, last - bottom);
  for (const { series, colour, x, at } of shown) {
    marker(c, series.marker, x + 4, at - over, 4, colour, pen.paper, false);
    label(c, cut(c, series.name, chart.width - x - 14), x + 12, at - over, pen.ink, pen.paper);
  }
}

/** The ends that cover no end above them. */
function apart(ends) {
  const kept = [];
  for (const end of ends) if (!kept.length || end.y - kept.at(-1).y >= LINE) kept.push(end);
  return kept;
}

/** The name, without its end where it is wider than `room`. */
function cut(c, name, room) {
  if (c.measureText(name).width <= room) return name;
  let length = name.length;
  while (length > 1 && c.measureText(`${name.slice(0, length)}…`).width > room) length -= 1;
  return `${name.slice(0, length)}…`;
}
