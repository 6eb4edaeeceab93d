// Long lists of values, searched on the server, and sliders that write a range into its field. Both work without scripts by
// their button and field.
let waiting = 0;

async function list(name, text, form) {
  const places = form.querySelectorAll(`[data-values="${CSS.escape(name)}"]`);
  const asked = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
  asked.append("dimension", name);
  if (text) asked.append("find", text);
  const answer = await fetch(`/compare/values?${asked}`, { headers: { "HX-Request": "true" } });
  if (!answer.ok) return;
  const items = await answer.text();
  for (const place of places) place.innerHTML = items;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button[formaction='/compare/values']");
  if (!button) return;
  event.preventDefault();
  list(button.value, "", button.form).then(() => {
    const fieldset = button.closest("fieldset");
    button.remove();
    fieldset.querySelector("[data-find]")?.focus();
  });
});

document.addEventListener("input", (event) => {
  const field = event.target;
  if (field.dataset?.find) {
    clearTimeout(waiting);
    waiting = setTimeout(() => list(field.dataset.find, field.value.trim(), field.closest("form")), 200);
  } else if (field.dataset?.end) slide(field);
});

document.addEventListener("change", (event) => {
  const sliders = event.target.closest?.(".sliders");
  if (!sliders) return;
  const field = document.getElementById(sliders.dataset.range);
  const [steps, [low, high]] = [sliders.dataset.steps.split(" "), positions(sliders)];
  const ends = [low > 0 ? steps[low] : "", high < steps.length - 1 ? steps[high] : ""];
  field.value = ends[0] || ends[1] ? ends.join("..") : "";
  field.dispatchEvent(new Event("change", { bubbles: true }));
});

function positions(sliders) {
  return [...sliders.querySelectorAll("input")].map((one) => Number(one.value));
}

/** The two ends push each other; what is chosen is said in words. */
function slide(moved) {
  const sliders = moved.closest(".sliders");
  const [lower, upper] = sliders.querySelectorAll("input");
  if (Number(lower.value) > Number(upper.value)) (moved === lower ? upper : lower).value = moved.value;
  const [labels, [low, high]] = [sliders.dataset.labels.split("|"), positions(sliders)];
  lower.setAttribute("aria-valuetext", labels[low]);
  upper.setAttribute("aria-valuetext", labels[high]);
  sliders.querySelector("output").textContent = `${labels[low]} to ${labels[high]}`;
}

function ready() {
  for (const one of document.querySelectorAll(".find[hidden], .sliders[hidden]")) {
    one.hidden = false;
    if (one.matches(".sliders")) slide(one.querySelector("input"));
  }
}

ready();
document.addEventListener("htmx:afterSwap", ready);
