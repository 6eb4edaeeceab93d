// The table beside a figure: copied as TSV with its exact numbers.
function exact(cell) {
  return cell.title || (cell.querySelector("small") ? cell.firstChild.textContent : cell.textContent).trim();
}

export function asTsv(table) {
  return [...table.rows].map((row) => [...row.cells].map((cell) => exact(cell).replace(/\s+/g, " ")).join("\t")).join("\n");
}

function ready(scope) {
  if (navigator.clipboard) for (const button of scope.querySelectorAll("[data-copy-table]")) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy-table]");
  if (!button) return;
  await navigator.clipboard.writeText([...document.querySelectorAll(".figure-table table")].map(asTsv).join("\n\n"));
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
});
ready(document);
document.addEventListener("htmx:afterSwap", (event) => ready(event.detail.elt.closest("main") || document));
