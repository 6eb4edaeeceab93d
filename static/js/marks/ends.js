// Names at the ends of lines and curves, for those who see no difference in colours.
import { label, marker } from "./shapes.js";

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
