// Scales of Chart.js for figures: names, numbers, places; nothing here knows a kind of figure.
import { layOut, shorten, wrap } from "./labels.js";

const SIZE = 13;
const NAMES = 190; // pixels that names to the left of a figure may take at most
const MARGIN = 60; // pixels beside a level axis of numbers, about
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

/** The title of the axis of values: unit, and which direction is better. */
export const valuesTitle = (figure) => [figure.unit, figure.better].filter(Boolean).join(", ");

/** The ticks whose labels, level, cover none before them, on an axis of `room` pixels. Ends, ticks and labels come with the figure. */
function apart({ kind, low, high, ticks, labels }, room, width) {
  const share = (value) => (kind === "log" ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  let end = Number.NEGATIVE_INFINITY;
  return ticks.filter((value, at) => {
    const [place, half] = [share(value) * room, width(labels[at]) / 2];
    if (place - half < end + 6) return false;
    end = place + half;
    return true;
  });
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
    /** Pixels beside a level axis with names left of it, about. */
    beside: (wide) => Math.min(NAMES, wide * 0.45) + MARGIN / 2,
    /** An axis of numbers as it was laid out. `beside`: pixels beside it, about, of a figure so wide. */
    numbers: (text, laid, beside = () => MARGIN) => ({
      type: laid.kind === "log" ? "logarithmic" : "linear",
      min: laid.low,
      max: laid.high,
      grid: { color: rule },
      border: { display: false },
      afterBuildTicks: (axis) => {
        const kept = axis.isHorizontal?.() ? apart(laid, axis.chart.width - beside(axis.chart.width), width) : laid.ticks;
        axis.ticks = kept.map((value) => ({ value }));
      },
      ticks: { ...base, autoSkip: false, maxRotation: 0, callback: (value) => laid.labels[laid.ticks.indexOf(value)] ?? "" },
      title: title(text),
    }),
  };
}
