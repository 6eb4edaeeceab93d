// Raw view: a click on a line number chooses the line, with shift a range: #L12-L20.
const table = document.querySelector("table[data-lines]");

function chosen() {
  const match = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash);
  if (!match) return null;
  const a = Number(match[1]);
  const b = Number(match[2] || match[1]);
  return [Math.min(a, b), Math.max(a, b)];
}

function show(jump) {
  for (const row of table.querySelectorAll(".is-chosen")) row.classList.remove("is-chosen");
  const range = chosen();
  if (!range) return;
  const first = Number(table.dataset.first);
  const last = Number(table.dataset.last);
  if (range[0] < first || range[0] > last) {
    const page = Number(table.dataset.page) || last - first + 1;
    const from = Math.floor((range[0] - 1) / page) * page + 1;
    location.replace(`?from=${from}${location.hash}`);
    return;
  }
  for (let n = range[0]; n <= Math.min(range[1], last); n++) document.getElementById(`L${n}`)?.classList.add("is-chosen");
  if (jump) document.getElementById(`L${range[0]}`)?.scrollIntoView({ block: "center" });
}

if (table) {
  table.addEventListener("click", (event) => {
    const link = event.target.closest(".line-number a");
    if (!link) return;
    event.preventDefault();
    const here = Number(link.textContent);
    const range = event.shiftKey ? chosen() : null;
    const hash = range ? `#L${Math.min(range[0], here)}-L${Math.max(range[0], here)}` : `#L${here}`;
    history.replaceState(null, "", hash);
    show(false);
  });
  addEventListener("hashchange", () => show(true));
  show(true);
}
