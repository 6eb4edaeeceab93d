// Ticks of a value axis and their labels, by the rules of webapp/figures/ticks.py: 1, 2, 2.5 or 5 times a power of ten.
const [MOST, EVEN, POWERS, TINY] = [7, 12, 2000, 1e-9];
const clean = (value) => Number(value.toPrecision(12));

/** The smallest step of at most `most` ticks. */
export function step(low, high, most = MOST) {
  const rough = (high - low) / Math.max(1, most - 1);
  if (!(rough > 0) || !Number.isFinite(rough)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return clean([1, 2, 2.5, 5, 10].find((one) => one * power >= rough * (1 - TINY)) * power);
}

export function linear(low, high, most = MOST) {
  const size = step(low, high, most);
  const [first, last] = [Math.ceil(low / size - TINY), Math.floor(high / size + TINY)];
  return Array.from({ length: last - first + 1 }, (_, at) => clean((first + at) * size));
}

/** Even numbers over less than a decade or so, then 1, 2 and 5, then powers of ten. */
export function logarithmic(low, high, most = 9) {
  if (!(low > 0 && high > low)) return low > 0 ? [low] : [];
  if (high / low < EVEN) return linear(low, high, most).filter((tick) => tick > 0);
  const [first, last] = [Math.floor(Math.log10(low) + TINY), Math.ceil(Math.log10(high) - TINY)];
  const powers = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const inside = (value) => low * (1 - TINY) <= value && value <= high * (1 + TINY);
  if (high / low < POWERS) {
    const fine = powers.flatMap((power) => [1, 2, 5].map((one) => clean(one * 10 ** power))).filter(inside);
    if (fine.length <= most + 2) return fine;
  }
  const every = Math.max(1, Math.ceil((last - first) / most));
  return powers
    .filter((power) => power % every === 0)
    .map((power) => clean(10 ** power))
    .filter(inside);
}

/** Decimals of a number as it is written with six significant digits. */
function decimals(value) {
  if (value === 0) return 0;
  const [digits, exponent] = Math.abs(value).toExponential(5).split("e");
  return Math.max(0, digits.replace(/\.?0+$/, "").replace(".", "").length - 1 - Number(exponent));
}

/** The ticks as text, with as many decimals as the finest needs; on a log axis each with its own. Never 0 for another number. */
export function labels(values) {
  const steps = values.slice(1).map((value, at) => value - values[at]);
  const even = steps.length > 0 && Math.max(...steps) - Math.min(...steps) <= Math.max(...steps) * 1e-6;
  const places = even ? Math.max(...values.map(decimals)) : 0;
  return values.map((value) => {
    const digits = value === 0 ? 0 : Math.min(100, even ? places : decimals(value));
    return value
      .toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
      .replaceAll(",", "\u202f")
      .replace("-", "−");
  });
}
