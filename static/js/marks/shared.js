// What every kind of figure shares: colours of the page, printed numbers, markers, whiskers, the y axis.
export function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function shown(value) {
  if (value === 0) return "0";
  const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const text = value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
  return Number(value.toPrecision(3)) >= 1000 ? Number(value.toPrecision(3)).toLocaleString("en").replaceAll(",", "\u202f") : text;
}

/** A label of the axis: all of them with as many places as the finest needs, so that 50 stands beside 100 and not 50.0. */
export function tick(value, all) {
  const places = Math.max(...all.map((one) => Math.min(4, String(Number(one.value.toPrecision(6))).split(".")[1]?.length ?? 0)));
  return value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places }).replaceAll(",", "\u202f");
}

const SPREAD = 0.32;

// Dots of one group stand beside each other in a fixed pattern, so that the same data are always the same picture.
export function offset(index, count, width) {
  const places = Math.min(count, 7);
  return count < 2 ? 0 : ((index % places) / (places - 1) - 0.5) * width * SPREAD * 2;
}

export const SHAPES = {
  circle: (c, x, y, r) => c.arc(x, y, r, 0, 2 * Math.PI),
  rect: (c, x, y, r) => c.rect(x - r * 0.85, y - r * 0.85, r * 1.7, r * 1.7),
  triangle: (c, x, y, r) => {
    c.moveTo(x, y - r * 1.1);
    c.lineTo(x + r, y + r * 0.8);
    c.lineTo(x - r, y + r * 0.8);
    c.closePath();
  },
  rectRot: (c, x, y, r) => {
    c.moveTo(x, y - r * 1.2);
    c.lineTo(x + r * 1.2, y);
    c.lineTo(x, y + r * 1.2);
    c.lineTo(x - r * 1.2, y);
    c.closePath();
  },
  dash: (c, x, y, r) => c.rect(x - r * 1.3, y - r * 0.35, r * 2.6, r * 0.7),
  cross: (c, x, y, r) => {
    c.rect(x - r * 1.2, y - r * 0.3, r * 2.4, r * 0.6);
    c.rect(x - r * 0.3, y - r * 1.2, r * 0.6, r * 2.4);
  },
};
SHAPES.star = SHAPES.rectRot;
SHAPES.crossRot = SHAPES.cross;

export function whisker(c, x, low, high, width, ink) {
  const arm = Math.min(width * 0.22, 7);
  c.strokeStyle = ink;
  c.lineWidth = 1.25;
  c.beginPath();
  c.moveTo(x, low);
  c.lineTo(x, high);
  c.moveTo(x - arm, low);
  c.lineTo(x + arm, low);
  c.moveTo(x - arm, high);
  c.lineTo(x + arm, high);
  c.stroke();
}


/** One repetition: a hollow dot. */
export function dot(c, x, y, radius, ink, paper) {
  c.beginPath();
  c.arc(x, y, radius, 0, 2 * Math.PI);
  c.fillStyle = paper;
  c.globalAlpha = 0.92;
  c.fill();
  c.globalAlpha = 1;
  c.strokeStyle = ink;
  c.lineWidth = 1;
  c.stroke();
}

/** The marker of a series: filled, or hollow for a single run. */
export function marker(c, shape, x, y, radius, colour, hollow) {
  c.beginPath();
  (SHAPES[shape] ?? SHAPES.circle)(c, x, y, radius);
  c.fillStyle = hollow ? token("--paper") : colour;
  c.fill();
  c.strokeStyle = colour;
  c.lineWidth = 1.25;
  c.stroke();
}

export function colourOf(series) {
  return token(`--series-${series.style + 1}`);
}

export function groupsOf(figure, series) {
  const found = figure.x.values.map(() => null);
  for (const group of figure.groups) if (group.series === series) found[group.x] = group;
  return found;
}

/** Least and greatest of everything that is drawn, so that no whisker or dot is cut off. */
function reach(figure) {
  const all = figure.groups.flatMap((g) => [g.center, g.low, g.high, ...g.points.map((p) => p[0])]).filter((value) => value !== null && value !== undefined);
  return [Math.min(...all), Math.max(...all, figure.top ?? Number.NEGATIVE_INFINITY)];
}

function font() {
  return { family: token("--sans"), size: 13 };
}

export function title(text) {
  return { display: Boolean(text), text, color: token("--muted"), font: font() };
}

function limits(figure, zero, log) {
  if (!figure.groups.length) return {};
  const [low, high] = reach(figure);
  if (log) return low > 0 ? { suggestedMin: low / 1.1, suggestedMax: high * 1.1 } : {};
  const air = (high - low) * 0.04;
  return zero ? { suggestedMax: high * 1.04 } : { suggestedMin: low - air, suggestedMax: high + air };
}

export function valueAxis(figure, { zero = true, text = figure.unit, scale = figure.scale } = {}) {
  return {
    type: scale === "log" ? "logarithmic" : "linear",
    beginAtZero: zero,
    ...limits(figure, zero, scale === "log"),
    grid: { color: token("--rule") },
    border: { display: false },
    ticks: { color: token("--muted"), font: font(), callback: (value, _at, all) => tick(value, all), maxTicksLimit: 7 },
    title: title(text),
  };
}

export function placeAxis(label, more = {}) {
  return {
    grid: { display: false },
    border: { color: token("--muted") },
    ticks: { color: token("--ink"), font: font(), maxRotation: 60, autoSkip: false, ...more.ticks },
    title: title(label),
    ...more.axis,
  };
}

export function options(scales) {
  return { animation: false, responsive: true, maintainAspectRatio: false, events: [], layout: { padding: { top: 8, right: 8 } }, scales };
}
