// Box and strip: quartiles and whiskers where there are enough runs, every run as a dot, median as a thick line.
import * as bars from "./bars.js";
import { centreLines, fits, marker, runs, whisker } from "./shapes.js";

export const type = "bar";

export function datasets(figure, pen) {
  // Bars give the boxes their places; only what is drawn here is seen.
  return bars.datasets(figure, pen).map((set) => ({ ...set, backgroundColor: "transparent", borderColor: "transparent" }));
}

export const scales = bars.scales;

export function draw(c, chart, figure, pen) {
  const y = chart.scales.y;
  const found = [];
  for (const [at, dataset] of chart.data.datasets.entries()) {
    const series = figure.series[at];
    for (const [index, bar] of chart.getDatasetMeta(at).data.entries()) {
      const group = dataset.groups[index];
      if (!group) {
        found.push(...bars.empties(c, chart, figure, at, index, bar, pen));
        continue;
      }
      const width = Math.max(bar.width ?? 12, 3);
      if (group.box && fits(y, group.box[0])) box(c, y, group.box, bar.x, width, pen.series(series), pen);
      else if (fits(y, group.center)) centreLines(c, group, bar.x, Math.min(width * 0.42, 26), y, pen.series(series), pen.paper);
      runs(c, { ...group, n: Math.max(2, group.n) }, bar.x, y, bars.size(width), Math.min(width * 0.42, 26), pen);
      if (group.bound && fits(y, group.center)) bars.bounds(c, y, group, bar.x, width, pen);
      if (figure.series.length > 1 && width >= 6)
        marker(
          c,
          series.marker,
          bar.x,
          chart.chartArea.bottom - 9,
          Math.min(4.5, width / 3),
          pen.series(series),
          pen.paper,
          group.n === 1,
        );
      found.push({ group, box: [bar.x - width / 2, chart.chartArea.top, width, chart.chartArea.bottom - chart.chartArea.top] });
    }
  }
  return found;
}

function box(c, y, five, x, width, colour, pen) {
  const [low, lower, middle, upper, high] = five.map((value) => y.getPixelForValue(value));
  const half = Math.min(width * 0.42, 26);
  whisker(c, x, low, lower, half * 0.4, pen);
  whisker(c, x, upper, high, half * 0.4, pen);
  c.fillStyle = `${colour}4d`;
  c.fillRect(x - half, upper, half * 2, lower - upper);
  c.strokeStyle = colour;
  c.lineWidth = 1.25;
  c.strokeRect(x - half, upper, half * 2, lower - upper);
  c.fillStyle = pen.ink;
  c.fillRect(x - half, middle - 1.25, half * 2, 2.5);
}

/** What figure.js needs of the kind. */
export const kind = { type, datasets, scales, draw };
