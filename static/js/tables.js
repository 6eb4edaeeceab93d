// The table beside a figure: sorted by a click on a head, copied as TSV with its exact numbers.
function exact(cell) {
  return cell.title || (cell.querySelector("small") ? cell.firstChild.textContent : cell.textContent).trim();
}

function compared(a, b) {
  const [one, other] = [a, b].map((cell) =>
    Number.parseFloat(
      exact(cell)
        .replaceAll("\u202f", "")
        .replace(/^[<>]\s*/, ""),
    ),
  );
  if (!Number.isNaN(one) && !Number.isNaN(other) && a.classList.contains("number")) return one - other;
  return exact(a).localeCompare(exact(b), "en", { numeric: true });
}

function sort(head) {
  const table = head.closest("table");
  const column = [...head.parentElement.children].indexOf(head);
  const rising = head.getAttribute("aria-sort") !== "ascending";
  for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const body = table.tBodies[0];
  // A place that was not run has no cell there, and stays last.
  const [whole, short] = [[], []];
  for (const row of body.rows) (row.cells[column] && !row.cells[column].classList.contains("not-run") ? whole : short).push(row);
  whole.sort((a, b) => compared(a.cells[column], b.cells[column]) * (rising ? 1 : -1));
  body.append(...whole, ...short);
}

export function asTsv(table) {
  return [...table.rows].map((row) => [...row.cells].map((cell) => exact(cell).replace(/\s+/g, " ")).join("\t")).join("\n");
}

function ready(scope) {
  for (const table of scope.querySelectorAll("table[data-sortable]")) {
    if (table.dataset.sortable === "ready") continue;
    table.dataset.sortable = "ready";
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      // Without scripts a head is a link to the page in that order.
      button.append(...(head.querySelector("a.sort") ?? head).childNodes);
      head.replaceChildren(button);
    }
  }
  if (navigator.clipboard) for (const button of scope.querySelectorAll("[data-copy-table]")) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const head = event.target.closest?.("button.sort");
  if (head) sort(head.parentElement);
  const button = event.target.closest?.("[data-copy-table]");
  if (!button) return;
  await navigator.clipboard.writeText([...document.querySelectorAll("table[data-sortable]")].map(asTsv).join("\n\n"));
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
});
ready(document);
document.addEventListener("htmx:afterSwap", (event) => ready(event.detail.elt.closest("main") || document));
