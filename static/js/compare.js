// The comparison page: a change of a choice is one request; what was open, scrolled or focused stays so.
import "./choices.js";

let due = 0;
let pressed = null;
let owed = false;
let kept = null;
let asked = new Map();

const body = () => document.getElementById("compare");

// Return in a field is a change and a submit: whichever comes last counts, once.
document.addEventListener("change", (event) => {
  const form = event.target.closest?.("form[data-live]");
  // What has no name only helps to choose: sliders write into a field, a search field lists values.
  if (!form || !event.target.name) return;
  askSoon(form);
});
document.addEventListener("submit", stopAsking, true);

// A link to another comparison is swapped in, unless it shall open elsewhere.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="/compare?"], a[href="/compare"]');
  if (!link || !body()?.contains(link) || link.hasAttribute("download") || event.defaultPrevented) return;
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  window.htmx.ajax("GET", link.getAttribute("href"), { source: link, target: "#compare" });
});

function stopAsking() {
  clearTimeout(due);
  due = 0;
}

function askSoon(form) {
  stopAsking();
  due = setTimeout(() => {
    due = 0;
    form.requestSubmit();
  });
}

// What a pointer presses must be there when it is let go, or nobody learns of the click. Of the menus that lists and other
// buttons open it is not sure that anybody tells when it is.
document.addEventListener("pointerdown", (event) => {
  const opens = event.button !== 0 || event.target.closest?.("select");
  pressed = opens ? null : (event.target.closest?.("form[data-live]") ?? null);
});
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => {
    if (pressed && owed) askSoon(pressed);
    pressed = null;
    owed = false;
  });
}

const typed = (place) =>
  [...place.querySelectorAll("input[id]:not([type=checkbox], [type=hidden])")].map((one) => [one.id, one.value]);

document.addEventListener("htmx:beforeRequest", (event) => {
  if (!body() || event.detail.target !== body()) return;
  asked = new Map(typed(body()));
  document.getElementById("no-answer")?.remove();
  body().setAttribute("aria-busy", "true");
});

document.addEventListener("htmx:afterRequest", (event) => {
  if (body() && event.detail.target === body() && !document.querySelector(".htmx-request")) body().removeAttribute("aria-busy");
});

// Without an answer the page still shows the former choice: so do its controls, and a line says why.
for (const failed of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  document.addEventListener(failed, (event) => {
    const place = body();
    if (!place || event.detail.target !== place) return;
    place.removeAttribute("aria-busy");
    for (const form of place.querySelectorAll("form[data-live]")) form.reset();
    const status = event.detail.xhr?.status;
    const notice = document.createElement("p");
    notice.id = "no-answer";
    notice.className = "notice notice-bad";
    notice.setAttribute("role", "alert");
    notice.textContent = `${status ? `The server answered with an error (${status})` : "The server cannot be reached"}. The figure is that of the former choice; choose again to retry.`;
    place.querySelector("#compare-title")?.after(notice);
  });
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const place = body();
  if (!place || event.detail.target !== place) return;
  if (due || pressed) {
    // It answers a former choice, and would take away the one that is being made.
    event.detail.shouldSwap = false;
    owed = Boolean(pressed);
    return;
  }
  kept = {
    open: new Map([...place.querySelectorAll("details[id]:not(.menu)")].map((one) => [one.id, one.open])),
    scrolled: new Map([...place.querySelectorAll("[data-scroll]")].map((one) => [one.dataset.scroll, one.scrollTop])),
    // What was typed while the answer was on its way is not in the answer.
    typed: typed(place).filter(([id, value]) => asked.has(id) && asked.get(id) !== value),
    focused: place.contains(document.activeElement),
    // A link of a menu is gone with it: its menu has the focus then.
    stood: place.contains(document.activeElement)
      ? (document.activeElement.closest(".menu")?.firstElementChild ?? document.activeElement).id
      : "",
    box: place.contains(document.activeElement) ? [document.activeElement.name, document.activeElement.value] : [],
    sheet: isSheetOpen(),
  };
  // The page keeps its height until the figures are drawn, so that nothing under the reader's eyes moves.
  place.style.minHeight = `${place.offsetHeight}px`;
});

// Before the browser draws: a sheet that stood open is never seen to close.
document.addEventListener("htmx:afterSwap", (event) => {
  if (kept?.sheet && event.detail.target === body()) document.getElementById("choices")?.showPopover();
});

document.addEventListener("htmx:afterSettle", (event) => {
  const place = body();
  if (!kept || event.detail.target !== place) return;
  for (const [id, open] of kept.open) document.getElementById(id)?.toggleAttribute("open", open);
  for (const one of place.querySelectorAll("[data-scroll]")) one.scrollTop = kept.scrolled.get(one.dataset.scroll) ?? 0;
  for (const [id, value] of kept.typed) {
    const field = document.getElementById(id);
    if (field) field.value = value;
  }
  // What stood in a group that came folded could not take the focus until the group was opened again.
  if (kept.stood && document.activeElement?.id !== kept.stood) document.getElementById(kept.stood)?.focus({ preventScroll: true });
  // A value of a list that was loaded on demand has another id in the page.
  if (kept.stood && !place.contains(document.activeElement))
    [...place.querySelectorAll("input[type=checkbox]")]
      .find((one) => one.name === kept.box[0] && one.value === kept.box[1])
      ?.focus({ preventScroll: true });
  // What was chosen may be gone, as a link that has been followed: the reader then stands at the new title.
  if (kept.focused && !place.contains(document.activeElement))
    document.getElementById("compare-title")?.focus({ preventScroll: true });
  kept = null;
  setTimeout(() => {
    place.style.minHeight = "";
  }, 400);
});

function isSheetOpen() {
  return document.getElementById("choices")?.matches(":popover-open") ?? false;
}

// Who opens the sheet stands in it, who closes it at the button again; after a choice the focus stays where it was.
document.addEventListener(
  "toggle",
  (event) => {
    if (event.target.id !== "choices") return;
    const opened = event.newState === "open";
    const [button, here] = [document.getElementById("to-choices"), document.activeElement];
    if (opened && (here === button || here === document.body)) event.target.focus({ preventScroll: true });
    else if (!opened && (here === document.body || event.target.contains(here))) button?.focus({ preventScroll: true });
  },
  true,
);

// A menu closes as those of the system do: by Escape, and by a click beside it.
const closeMenus = (but) => {
  for (const menu of document.querySelectorAll(".menu[open]")) if (menu !== but) menu.open = false;
};
document.addEventListener("click", (event) => closeMenus(event.target.closest?.(".menu")));
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest?.(".menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.firstElementChild.focus();
});
