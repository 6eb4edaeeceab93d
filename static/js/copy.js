// Buttons that copy a text, as formatted text too where they have one; hidden where the browser cannot.
function ready(scope) {
  if (!navigator.clipboard) return;
  for (const button of scope.querySelectorAll("[data-copy]")) button.hidden = false;
}

async function copy(text, formatted) {
  if (!formatted || !window.ClipboardItem) return navigator.clipboard.writeText(text);
  const item = {
    "text/plain": new Blob([text], { type: "text/plain" }),
    "text/html": new Blob([formatted], { type: "text/html" }),
  };
  return navigator.clipboard.write([new ClipboardItem(item)]);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  await copy(button.dataset.copy, button.dataset.copyFormatted);
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
});
ready(document);
document.addEventListener("htmx:afterSwap", () => ready(document));
