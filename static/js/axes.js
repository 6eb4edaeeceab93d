// Scales of Chart.js for figures: names, numbers, places; nothing here knows a kind of figure.
import { layOut, shorten, wrap } from "./labels.js";
import * as ticks from "./ticks.js";

const SIZE = 13;
const NAMES = 190; // pixels that names to the left of a figure may take at most
const FEW = 12; // rows up to which the lines of a figure have room for a name of two

/** A number with three significant digits, as `number` of webapp/formatting/numbers.py. */
export function shown(value) {
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(3));
  const places = Number.isInteger(value) && Math.abs(value) < 1000 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(rounded))));
  return rounded
    .toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places })
    .replaceAll(",", "\u202f")
    .replace("-", "−");
}

/** The centre with the sign of a bound: `2 930`, `> 2 930`. */
export const centre = (group) => `${{ above: "> ", below: "< " }[group.bound] ?? ""}${shown(group.center)}`;

const all = (figure) =>
  figure.groups
    .flatMap((g) => [
      g.center,
      g.low ?? g.center,
      g.high ?? g.center,
      g.model ?? g.center,
      ...(g.parts ?? []),
      ...g.points.map((p) => p[0]),
    ])
    .filter((value) => value !== null);

const bounded = (figure) => figure.groups.some((group) => group.bound || group.open || group.across?.bound);

/** Ends that are ticks. */
function rounded(low, high) {
  const top = high > low ? high : low + 1;
  const size = ticks.step(low, top);
  return { min: Math.floor(low / size + 1e-9) * size, max: Math.ceil(top / size - 1e-9) * size };
}

/** Names left of a figure so wide: in lines where they are few, else each in one line, so that none is left out. */
function leftNames(values, wide, width) {
  const most = Math.min(NAMES, wide * 0.45);
  if (values.length <= FEW) return values.map((name) => wrap(name, most, width) ?? name);
  return values.map((name) => shorten(name, most, width));
}

/** `width`: of a text in pixels; `slot`: of one of so many places beside each other. */
export function axes(token, width = (text) => text.length * 7, slot = () => 1000) {
  const [ink, muted, rule] = ["--ink", "--muted", "--rule"].map(token);
  const font = { family: token("--sans"), size: SIZE };
  const base = { color: muted, font };
  const title = (text) => ({ display: Boolean(text), text, color: muted, font });
  return {
    ink,
    ticks: base,
    width,
    /** Names below places beside each other. */
    names: (values, text, more = {}) => {
      const { labels, level } = layOut(values, slot(values.length), width);
      return {
        grid: { display: false },
        border: { color: muted },
        ticks: {
          ...base,
          color: ink,
          callback: (_value, at) => labels[at] ?? "",
          ...(level ? { maxRotation: 0 } : { minRotation: slot(values.length) > 2 * SIZE ? 40 : 90, maxRotation: 90 }),
          ...more,
        },
        title: title(text),
      };
    },
    /** Places 0, 1, 2 ... of a linear axis, with their names: below the figure, or `left` of it in up to two lines. */
    places: (values, text, left = false) => {
      const made = left ? leftNames(values, slot(1), width) : layOut(values, slot(values.length), width).labels;
      return {
        type: "linear",
        min: -0.5,
        max: values.length - 0.5,
        grid: { display: false },
        border: { color: rule },
        afterBuildTicks: (scale) => {
          scale.ticks = values.map((_, value) => ({ value }));
        },
        ticks: {
          ...base,
          color: ink,
          autoSkip: true,
          autoSkipPadding: left ? 0 : 4,
          maxRotation: left || Array.isArray(made[0]) ? 0 : 60,
          callback: (value) => made[value] ?? "",
        },
        title: title(text),
      };
    },
    numbers: (text, scale, more = {}) => ({
      type: scale === "log" ? "logarithmic" : "linear",
      grid: { color: rule },
      border: { display: false },
      afterBuildTicks: (axis) => {
        const length = axis.isHorizontal?.() ? axis.chart.width / 80 : axis.chart.height / 44;
        const make = scale === "log" ? ticks.logarithmic : ticks.linear;
        const most = Math.max(3, Math.min(scale === "log" ? 9 : 8, Math.floor(length)));
        axis.ticks = make(axis.min, axis.max, most).map((value) => ({ value }));
      },
      ticks: {
        ...base,
        autoSkip: scale === "log",
        callback: (_value, at, every) => ticks.labels(every.map((one) => one.value))[at],
      },
      title: title(text),
      ...more,
    }),
    /** From zero to a tick above the highest value, of this figure or of all that share its scale; bounds need more room. */
    fromZero(figure) {
      if (figure.scale === "log") return this.room(figure);
      const values = all(figure);
      const top = figure.top ?? Math.max(...values, 0);
      return rounded(Math.min(...values, 0), top * (bounded(figure) ? 1.2 : 1.04));
    },
    /** From the lowest to the highest value with a little room; from zero where that is near. */
    room(figure) {
      const log = figure.scale === "log";
      const values = all(figure).filter((value) => !log || value > 0);
      if (!values.length) return log ? { min: 0.5, max: 2 } : { min: 0, max: 1 };
      const bottom =
        figure.top === undefined || (log && !(figure.bottom > 0)) ? Number.POSITIVE_INFINITY : (figure.bottom ?? Infinity);
      const [low, high] = [Math.min(bottom, ...values), Math.max(figure.top ?? 0, ...values)];
      const open = bounded(figure);
      if (log) {
        const share = open ? (high / low) ** 0.2 * 1.2 : 1.2;
        return { min: low / share, max: high * share };
      }
      const edge = (high - low || Math.abs(high) || 1) * (open ? 0.2 : 0.06);
      return low >= 0 && low < high * 0.4 ? rounded(0, high + edge) : { min: low - edge, max: high + edge };
    },
    /** The x axis of a scatter plot. */
    across(figure) {
      const ends = figure.groups.flatMap(({ across }) => [
        across.center,
        across.low ?? across.center,
        across.high ?? across.center,
      ]);
      const [low, high] = [Math.min(...ends), Math.max(...ends)];
      if (figure.scale === "log" && low > 0) return { min: low / 1.2, max: high * 1.2 };
      return rounded(Math.min(0, low), high * (bounded(figure) ? 1.2 : 1.04));
    },
  };
}
