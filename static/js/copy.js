// Buttons that copy an address; hidden where the browser cannot.
function ready(scope) {
  if (!navigator.clipboard) return;
  for (const button of scope.querySelectorAll("[data-copy]")) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
});
ready(document);
document.addEventListener("htmx:afterSwap", () => ready(document));
