// Light, dark or as the system has it; kept in this browser.
const KEY = "poolmark-theme";
const NAMES = { "": "as the system has it", light: "light", dark: "dark" };
const ORDER = ["", "dark", "light"];
const root = document.documentElement;

function stored() {
  try {
    return localStorage.getItem(KEY) || "";
  } catch {
    return "";
  }
}

function apply(theme) {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  for (const button of document.querySelectorAll("[data-theme-switch]")) {
    button.hidden = false;
    button.setAttribute("aria-label", `Colours: ${NAMES[theme]}`);
    button.title = `Colours: ${NAMES[theme]}`;
  }
  document.dispatchEvent(new CustomEvent("poolmark:theme"));
}

document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-theme-switch]")) return;
  const next = ORDER[(ORDER.indexOf(stored()) + 1) % ORDER.length];
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A browser that keeps nothing still changes this page.
  }
  apply(next);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => apply(stored()));
apply(stored());
