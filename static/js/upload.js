// Upload: drop files or folders, see them listed, and follow the bytes while they travel.
const form = document.querySelector("form[data-upload]");

function entriesOf(transfer) {
  return [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
}

async function filesOf(entry, prefix = "") {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, path: prefix + file.name }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) break;
    for (const inner of some) found.push(...(await filesOf(inner, `${prefix}${entry.name}/`)));
  }
  return found;
}

function sized(bytes) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let power = 0;
  let size = bytes;
  while (size >= 1024 && power < units.length - 1) {
    size /= 1024;
    power += 1;
  }
  return `${size.toFixed(power && size < 10 ? 1 : 0)} ${units[power]}`;
}

function listed(files) {
  const list = document.createElement("ul");
  list.className = "upload-list";
  for (const { file, path } of files.slice(0, 50)) {
    const item = document.createElement("li");
    const name = document.createElement("span");
    name.textContent = path;
    const size = document.createElement("span");
    size.className = "number";
    size.textContent = sized(file.size);
    item.append(name, size);
    list.append(item);
  }
  if (files.length > 50) {
    const item = document.createElement("li");
    item.textContent = `and ${files.length - 50} more`;
    list.append(item);
  }
  return list;
}

function setUp() {
  const field = form.querySelector("[data-drop]");
  const input = form.querySelector("input[type=file]");
  const place = form.querySelector("[data-upload-list]");
  const button = form.querySelector("button[type=submit]");
  let chosen = [];

  const choose = (files) => {
    chosen = files;
    input.required = !files.length;
    place.replaceChildren(listed(files));
  };

  input.addEventListener("change", () =>
    choose([...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }))),
  );
  for (const name of ["dragenter", "dragover"]) {
    field.addEventListener(name, (event) => {
      event.preventDefault();
      field.classList.add("is-over");
    });
  }
  for (const name of ["dragleave", "drop"]) field.addEventListener(name, () => field.classList.remove("is-over"));
  field.addEventListener("drop", async (event) => {
    event.preventDefault();
    const plain = [...event.dataTransfer.files].map((file) => ({ file, path: file.name }));
    const entries = entriesOf(event.dataTransfer);
    const nested = entries.length ? (await Promise.all(entries.map((entry) => filesOf(entry)))).flat() : plain;
    choose(nested);
    send();
  });
  form.addEventListener("submit", (event) => {
    if (!chosen.length) return;
    event.preventDefault();
    send();
  });

  function fail(sentence) {
    const notice = document.createElement("p");
    notice.className = "notice notice-bad";
    notice.setAttribute("role", "alert");
    notice.textContent = sentence;
    place.replaceChildren(notice, listed(chosen));
    button.disabled = false;
  }

  function send() {
    if (!chosen.length) return;
    const data = new FormData();
    data.append("csrfmiddlewaretoken", form.querySelector("[name=csrfmiddlewaretoken]").value);
    for (const { file, path } of chosen) {
      data.append("files", file, file.name);
      data.append("paths", path);
    }
    const box = document.createElement("div");
    box.className = "upload-progress";
    const bar = document.createElement("progress");
    bar.setAttribute("aria-label", "Bytes sent");
    const words = document.createElement("p");
    box.append(bar, words);
    place.replaceChildren(box, listed(chosen));
    button.disabled = true;

    const request = new XMLHttpRequest();
    request.open("POST", form.action || location.href);
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) return;
      bar.max = event.total;
      bar.value = event.loaded;
      words.textContent =
        event.loaded < event.total ? `${sized(event.loaded)} of ${sized(event.total)} sent` : "Sent. Being kept and hashed.";
    });
    request.addEventListener("load", () => {
      const answer = request.response || {};
      if (request.status < 300 && answer.location) location.assign(answer.location);
      else fail(answer.error || `The server answered ${request.status}. Nothing was lost here; try again.`);
    });
    request.addEventListener("error", () => fail("The connection broke while the bytes were travelling. Try again."));
    request.send(data);
  }
}

if (form) setUp();
