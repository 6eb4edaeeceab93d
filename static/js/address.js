// A step in the history made before htmx listens changes the address alone: the page that belongs to it is fetched now.
(() => {
  const shown = () => location.pathname + location.search;
  const asked = shown();
  document.addEventListener("DOMContentLoaded", () => {
    if (shown() !== asked) location.reload();
  });
})();
