// Raw view: #L12-L20 highlights a range; shift and a click on a second line number makes one.
const RANGE = /^#L(\d+)-L?(\d+)$/;

function rows(table) {
  return table.tBodies[0].rows;
}

function pick(table, from, to) {
  const first = Number(table.dataset.first);
  [...rows(table)].forEach((row, at) => {
    const line = first + at;
    row.classList.toggle("is-picked", line >= from && line <= to);
  });
  for (const named of document.querySelectorAll("[data-swhid]")) {
    const lines = from === to ? from : `${from}-${to}`;
    named.textContent = named.dataset.swhid + (from > 0 ? `;lines=${lines}` : "");
  }
}

function rangeOf(hash) {
  const found = RANGE.exec(hash);
  if (!found) return null;
  const [a, b] = [Number(found[1]), Number(found[2])];
  return [Math.min(a, b), Math.max(a, b)];
}

/** The line stands on another page of the file: go there, keeping the range. */
function turnTo(table, line) {
  const size = Number(table.dataset.page) || 1000;
  const start = Math.floor((line - 1) / size) * size + 1;
  const address = new URL(location.href);
  if (Number(address.searchParams.get("from") ?? 1) === start) return; // it is this page: the file is shorter
  address.searchParams.set("from", start);
  location.replace(address);
}

function follow(table) {
  const range = rangeOf(location.hash) ?? single(location.hash);
  if (!range) return pick(table, 0, -1);
  const [first, last] = [Number(table.dataset.first), Number(table.dataset.last)];
  if (range[0] < first || range[0] > last) return turnTo(table, range[0]);
  pick(table, ...range);
  document.getElementById(`L${range[0]}`)?.scrollIntoView({ block: "center" });
}

function single(hash) {
  const found = /^#L(\d+)$/.exec(hash);
  return found ? [Number(found[1]), Number(found[1])] : null;
}

function listen(table) {
  let anchor = single(location.hash)?.[0] ?? rangeOf(location.hash)?.[0] ?? null;
  table.addEventListener("click", (event) => {
    const link = event.target.closest(".line-number a");
    if (!link) return;
    const line = Number(link.textContent);
    if (event.shiftKey && anchor) {
      event.preventDefault();
      const [from, to] = [Math.min(anchor, line), Math.max(anchor, line)];
      history.replaceState(null, "", from === to ? `#L${from}` : `#L${from}-L${to}`);
      getSelection()?.removeAllRanges();
      pick(table, from, to);
    } else {
      anchor = line;
    }
  });
  window.addEventListener("hashchange", () => follow(table));
  follow(table);
}

for (const table of document.querySelectorAll("table[data-lines]")) listen(table);
