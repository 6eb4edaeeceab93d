// What the figure tells of one group, by pointer and by keyboard: numbers, spread, n, and the lines they were read from.
import { centre, shown } from "./axes.js";
import { unlike } from "./marks/shapes.js";
import { makeTip } from "./tip.js";

const MOST = 12;
/** A name; beside one that the author has given, the value that the configuration has. */
const real = (shown, configured) => (configured && configured !== shown ? `${shown} (${configured})` : shown);
const places = (figure, group) => {
  const series = figure.series[group.series];
  return [real(figure.x.values[group.x], figure.x.configured?.[group.x]), real(series.name, series.configured)];
};
const name = (figure, group) => places(figure, group).filter(Boolean).join(", ");

/** The number of a group, or the centres of its sessions where they are too unlike for one. */
function amount(figure, group) {
  if (!unlike(group)) return `${centre(group)} ${figure.unit}`;
  return `${group.parts.map(shown).join("; ")} ${figure.unit} (centres of sessions that are too unlike for one)`;
}

/** The sentence of a group or an empty place. */
export function words(figure, group) {
  if (group.text) return `${name(figure, group)}: ${group.text}`;
  const spread = group.low === null || group.high === null || unlike(group) ? "" : `, ${shown(group.low)} to ${shown(group.high)}`;
  const across = group.across ? `, ${centre(group.across)} ${figure.x.unit} across` : "";
  const runs = group.n === 1 ? "a single run" : `n = ${group.n}`;
  const of = group.configurations > 1 ? ` of ${group.configurations} configurations` : "";
  const pairs = group.pairs === undefined ? "" : `, ${group.pairs} matched pair${group.pairs === 1 ? "" : "s"}`;
  return `${name(figure, group)}: ${amount(figure, group)}${across}${spread}, ${runs}${of}${pairs}${group.verdict ? `, ${group.verdict}` : ""}`;
}

/** What the tooltip says of a group or an empty place. */
export function brief(figure, group) {
  const [x, series] = places(figure, group);
  const parts = [
    [figure.x.unit ? "" : figure.x.label, x],
    [figure.legend ?? figure.rows ?? "", series],
  ];
  const of = parts
    .filter(([, value]) => value)
    .map((part) => part.filter(Boolean).join(" "))
    .join(" · ");
  if (group.text) return { value: group.text, of };
  const spread = group.low === null || group.high === null || unlike(group) ? "" : ` (${shown(group.low)} to ${shown(group.high)})`;
  const across = group.across ? `; ${centre(group.across)} ${figure.x.unit} across` : "";
  const hint = group.points.some((point) => point[1]) ? "Click: the raw lines" : "";
  return { value: `${amount(figure, group)}${spread}${across}`, n: `n = ${group.n}`, of, hint };
}

function link(address, text) {
  const made = document.createElement("a");
  made.href = address;
  made.textContent = text;
  return made;
}

/** Put it under the figure; the repetitions as links only once a group is chosen, so that pointing moves nothing. */
function tell(place, figure, group, chosen) {
  place.replaceChildren(group ? words(figure, group) : "");
  if (!group || !chosen || group.text) return null;
  const list = document.createElement("span");
  list.className = "repetitions";
  const seen = group.points.filter((point) => point[1]);
  for (const [value, address] of seen.slice(0, MOST))
    list.append(link(address, value === null ? "its first run" : shown(value)), " ");
  if (group.n > MOST && seen.length > 1) list.append(`and ${group.n - Math.min(MOST, seen.length)} more in the table `);
  if (group.configuration) list.append(link(`/configurations/${group.configuration}`, "Configuration"));
  if (group.beside) {
    const runs = group.beside.map((run) => `run=${run}`).join("&");
    list.append(" ", link(`/series?${runs}${group.beside.length > 1 ? "&bands=configuration" : ""}`, "Over time"));
  }
  place.append(document.createElement("br"), seen.length ? "Read from: " : "", list);
  return list.querySelector("a");
}

export function listen(canvas, state, redraw) {
  const place = canvas.closest("figure")?.querySelector("[data-reading]");
  const tip = makeTip(canvas);
  let chosen = false;
  const read = (group, pick = false) => {
    state.chosen = group ?? null;
    chosen = pick && Boolean(group);
    redraw();
    return place ? tell(place, state.figure, group, chosen) : null;
  };
  // Pointing marks a group; its numbers stand in the tooltip, so that nothing moves below.
  const look = (group) => {
    state.chosen = group;
    redraw();
  };
  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [best, near] = [null, Number.POSITIVE_INFINITY];
    for (const {
      group,
      box: [left, top, width, height],
    } of state.marks) {
      const [dx, dy] = [x - left - width / 2, y - top - height / 2];
      if (Math.abs(dx) > width / 2 + 3 || Math.abs(dy) > height / 2 + 3 || dx * dx + dy * dy >= near) continue;
      [best, near] = [group, dx * dx + dy * dy];
    }
    return best;
  };
  canvas.addEventListener("mousemove", (event) => {
    const group = under(event);
    if (!chosen && group && group !== state.chosen) look(group);
    canvas.classList.toggle("is-over", Boolean(group));
    if (group) tip.show(brief(state.figure, group), event.offsetX, event.offsetY);
    else tip.hide();
  });
  canvas.addEventListener("mouseleave", () => {
    tip.hide();
    // The mark goes, unless the group was chosen or the keyboard stands on it.
    if (!chosen && document.activeElement !== canvas) look(null);
  });
  canvas.addEventListener("click", (event) => {
    tip.hide();
    read(under(event), true);
  });
  canvas.addEventListener("blur", tip.hide);
  for (const [series, entry] of [...(canvas.closest("figure")?.querySelectorAll("[data-legend] .series") ?? [])].entries()) {
    const look = (at) => {
      state.series = at;
      redraw();
    };
    entry.addEventListener("mouseenter", () => look(series));
    entry.addEventListener("mouseleave", () => look(undefined));
  }
  canvas.addEventListener("keydown", (event) => {
    const order = state.order;
    const at = order.indexOf(state.chosen);
    tip.hide();
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step && order.length) {
      event.preventDefault();
      read(order[at < 0 ? (step > 0 ? 0 : order.length - 1) : (at + step + order.length) % order.length]);
    } else if (event.key === "Home" || event.key === "End") {
      event.preventDefault();
      read(order.at(event.key === "Home" ? 0 : -1));
    } else if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      read(order[at], true)?.focus();
    } else if (event.key === "Escape") {
      read(null);
    }
  });
}
