// Chart.js is large: it is fetched only where a figure stands.
async function draw(scope) {
  if (!scope.querySelector?.("[data-figure]")) return;
  const { drawAll } = await import("./figure.js");
  drawAll(scope);
}

draw(document);
document.addEventListener("htmx:afterSwap", (event) => draw(event.detail.elt.closest("main") || document));
