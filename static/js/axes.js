// Scales of Chart.js for figures: names, numbers, places; nothing here knows a kind of figure.
export function shown(value) {
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(3));
  const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(rounded))));
  return rounded
    .toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places })
    .replaceAll(",", "\u202f")
    .replace("-", "−");
}

/** The centre with the sign of a bound: `2 930`, `> 2 930`. */
export const centre = (group) => `${{ above: "> ", below: "< " }[group.bound] ?? ""}${shown(group.center)}`;

/** A label of the axis: all of them with as many places as the finest needs, so that 50 stands beside 100 and not 50.0. */
function tick(value, all) {
  const places = Math.max(...all.map((one) => Math.min(4, String(Number(one.value.toPrecision(6))).split(".")[1]?.length ?? 0)));
  return value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places }).replaceAll(",", "\u202f");
}

/** On a log axis 1, 2 and 5 of each power are enough. */
function logTick(value) {
  const whole = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
  return [1, 2, 5].some((one) => Math.abs(whole - one) < 1e-6)
    ? Number(value.toPrecision(3)).toLocaleString("en").replaceAll(",", "\u202f")
    : "";
}

const all = (figure) =>
  figure.groups
    .flatMap((g) => [g.center, g.low ?? g.center, g.high ?? g.center, ...(g.parts ?? []), ...g.points.map((p) => p[0])])
    .filter((value) => value !== null);

const bounded = (figure) => figure.groups.some((group) => group.bound || group.across?.bound);

export function axes(token) {
  const [ink, muted, rule] = ["--ink", "--muted", "--rule"].map(token);
  const font = { family: token("--sans"), size: 13 };
  const ticks = { color: muted, font };
  const title = (text) => ({ display: Boolean(text), text, color: muted, font });
  return {
    ink,
    ticks,
    names: (_values, text, more = {}) => ({
      grid: { display: false },
      border: { color: muted },
      ticks: { ...ticks, color: ink, maxRotation: 60, ...more },
      title: title(text),
    }),
    /** Places 0, 1, 2 ... of a linear axis, with their names. */
    places: (values, text) => ({
      type: "linear",
      min: -0.5,
      max: values.length - 0.5,
      grid: { display: false },
      border: { color: rule },
      afterBuildTicks: (scale) => {
        scale.ticks = values.map((_, value) => ({ value }));
      },
      ticks: {
        ...ticks,
        color: ink,
        autoSkip: true,
        autoSkipPadding: 4,
        maxRotation: 60,
        callback: (value) => values[value] ?? "",
      },
      title: title(text),
    }),
    numbers: (text, scale, more = {}) => ({
      type: scale === "log" ? "logarithmic" : "linear",
      grid: { color: rule },
      border: { display: false },
      ticks: {
        ...ticks,
        maxTicksLimit: scale === "log" ? 14 : 7,
        callback: (value, _at, every) => (scale === "log" ? logTick(value) : tick(value, every)),
      },
      title: title(text),
      ...more,
    }),
    /** The end of the axis above the highest value, of this figure or of all that share its scale; bounds need more room. */
    top: (figure) => (figure.top ?? Math.max(...all(figure), 0)) * (bounded(figure) ? 1.2 : 1.04),
    /** From the lowest to the highest value with a little room; from zero where that is near. */
    room: (figure) => {
      const values = all(figure).filter((value) => figure.scale !== "log" || value > 0);
      const [low, high] = [Math.min(...values), figure.top ?? Math.max(...values)];
      const open = bounded(figure);
      if (figure.scale === "log") {
        const share = open ? (high / low) ** 0.2 * 1.2 : 1.2;
        return { min: low / share, max: high * share };
      }
      const edge = (high - low || Math.abs(high) || 1) * (open ? 0.2 : 0.06);
      return low >= 0 && low < high * 0.4
        ? { min: 0, suggestedMax: high + edge }
        : { suggestedMin: low - edge, suggestedMax: high + edge };
    },
  };
}
