// Upload page: drop files or folders, see the list, send with progress. Without this the form works by itself.
const STEPS = ["B", "KiB", "MiB", "GiB", "TiB"];
const SPACE = "\u00a0";

function size(bytes) {
  const step = bytes > 0 ? Math.min(STEPS.length - 1, Math.floor(Math.log2(bytes) / 10)) : 0;
  const value = bytes / 1024 ** step;
  return `${Number.isInteger(value) ? value : value.toPrecision(Math.max(3, Math.floor(value).toString().length))}${SPACE}${STEPS[step]}`;
}

/** Every file below a dropped entry, as {file, path}; readEntries gives at most 100 at a time, so ask until it is empty. */
async function walk(entry, prefix = "") {
  const path = prefix + entry.name;
  if (entry.isFile) {
    return [{ file: await new Promise((done, fail) => entry.file(done, fail)), path }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!some.length) return found;
    for (const inner of some) found.push(...(await walk(inner, `${path}/`)));
  }
}

async function dropped(transfer) {
  // The list of items dies with the event: take all entries before the first await.
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ file, path: file.name }));
  return (await Promise.all(entries.map((entry) => walk(entry)))).flat();
}

function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function show(place, picked) {
  const list = element("ul", "", "upload-list");
  for (const { file, path } of picked.slice(0, 200)) {
    const row = element("li", "");
    row.append(element("span", path), element("span", size(file.size), "number"));
    list.append(row);
  }
  if (picked.length > 200) list.append(element("li", `and ${picked.length - 200} more`));
  place.replaceChildren(list);
}

function say(place, text) {
  const notice = element("p", text, "notice notice-bad");
  notice.setAttribute("role", "alert");
  place.prepend(notice);
}

/** Sends the files; `progress(0..1)` while the bytes travel. Resolves to the JSON answer; rejects with a sentence. */
function send(form, picked, progress) {
  const body = new FormData();
  body.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
  for (const { file, path } of picked) {
    body.append("files", file, file.name);
    body.append("paths", path);
  }
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => event.lengthComputable && progress(event.loaded / event.total));
    request.addEventListener("load", () => {
      if (request.status < 300 && request.response?.location) done(request.response);
      else fail(request.response?.detail ?? `The server answered ${request.status}. Nothing was kept; try again.`);
    });
    request.addEventListener("error", () => fail("The connection broke. Nothing was kept; try again."));
    request.send(body);
  });
}

function prepare(form) {
  const field = form.querySelector("[data-drop]");
  const input = form.querySelector("input[type=file]");
  const place = form.querySelector("[data-upload-list]");
  const button = form.querySelector("button[type=submit], button:not([type])");
  let picked = [];

  const take = (files) => {
    picked = files;
    input.required = picked.length === 0; // what was dropped is not in the field
    show(place, picked);
  };
  const over = (event, on) => {
    event.preventDefault();
    field.classList.toggle("is-over", on);
  };
  field.addEventListener("dragover", (event) => over(event, true));
  field.addEventListener("dragleave", (event) => over(event, false));
  field.addEventListener("drop", async (event) => {
    over(event, false);
    try {
      take(await dropped(event.dataTransfer));
    } catch {
      say(place, "A file in what you dropped could not be read. Pack the folder and drop the archive.");
    }
  });
  input.addEventListener("change", () =>
    take([...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }))),
  );

  form.addEventListener("submit", async (event) => {
    if (!picked.length) return; // the browser names the empty field
    event.preventDefault();
    const total = picked.reduce((sum, { file }) => sum + file.size, 0);
    const limit = Number(form.dataset.limit);
    if (limit && total > limit) return say(place, `These are ${size(total)}; ${size(limit)} can be sent at once.`);
    const bar = document.createElement("progress");
    bar.max = 1;
    bar.setAttribute("aria-label", "Bytes sent");
    const state = element("p", `Sending ${size(total)}`);
    place.prepend(bar, state);
    button.disabled = true;
    form.classList.add("is-sending");
    try {
      const answer = await send(form, picked, (part) => {
        bar.value = part;
        state.textContent =
          part < 1 ? `Sending: ${size(part * total)} of ${size(total)}` : "The bytes are there and are being kept.";
      });
      location.assign(answer.location);
    } catch (sentence) {
      bar.remove();
      state.remove();
      button.disabled = false;
      form.classList.remove("is-sending");
      say(place, String(sentence));
    }
  });
}

for (const form of document.querySelectorAll("form[data-upload]")) prepare(form);

// While an archive is read its title is asked for. Once it is read the page is loaded again, unless something is typed by then.
document.addEventListener("htmx:configRequest", (event) => {
  const form = document.getElementById("details");
  if (event.target.id !== "reading" || !form) return;
  const typed = [...form.querySelectorAll("input:not([type=hidden])")].some((field) => field.value !== field.defaultValue);
  if (typed || form.contains(document.activeElement)) event.detail.parameters.typed = "1";
});

// A page that the browser kept when it was left may show buttons of a state that has changed since.
addEventListener("pageshow", (event) => {
  if (event.persisted && document.querySelector("[data-live]")) location.reload();
});
