// Before the first paint, so that a chosen theme does not flash. No choice: the system's.
(() => {
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const read = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // storage is closed to this page: the system's theme it is
    }
  };
  const shown = () => root.dataset.theme ?? (system.matches ? "dark" : "light");
  const tell = () => {
    for (const button of document.querySelectorAll("[data-theme-toggle]")) {
      button.hidden = false;
      button.setAttribute("aria-label", shown() === "dark" ? "Use the light theme" : "Use the dark theme");
    }
    document.dispatchEvent(new CustomEvent("poolmark:theme"));
  };

  const kept = read();
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  document.addEventListener("DOMContentLoaded", tell);
  system.addEventListener("change", tell);
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-theme-toggle]")) return;
    root.dataset.theme = shown() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      // The choice then holds for this page only.
    }
    tell();
  });
})();
