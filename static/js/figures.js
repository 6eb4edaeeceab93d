// Chart.js is large: it is fetched only where a figure stands, and the marks of other kinds than bars only where one does.
async function draw(scope) {
  const canvases = [...(scope.querySelectorAll?.("[data-figure]") ?? [])];
  if (!canvases.length) return;
  for (const button of scope.querySelectorAll("[data-full-screen]")) button.hidden = !document.fullscreenEnabled;
  const all = (kind) => canvases.every((canvas) => canvas.closest(`.figure-canvas-${kind}`));
  const load = all("bars") ? import("./figure.js") : all("time") ? import("./marks/time.js") : import("marks:all");
  const { drawAll } = await load;
  drawAll(scope);
}

document.addEventListener("click", (event) => {
  const figure = event.target.closest?.("[data-full-screen]")?.closest("figure");
  if (!figure) return;
  if (document.fullscreenElement) document.exitFullscreen();
  else figure.requestFullscreen();
});
document.addEventListener("fullscreenchange", () => {
  for (const button of document.querySelectorAll("[data-full-screen]"))
    button.textContent = document.fullscreenElement?.contains(button) ? "Leave full screen" : "Full screen";
});

draw(document);
document.addEventListener("htmx:afterSwap", (event) => draw(event.detail.elt.closest("main") || document));
