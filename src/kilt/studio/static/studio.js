/* What a page does by itself: it follows work that goes on, saves what is typed, and takes files that are dropped.
   Every step also works without it, as plain forms. */
"use strict";

const EVERY = 400; // milliseconds between two looks
const SOON = 150; // the same while something is under way
const TYPED = 200; // milliseconds without a key after which what was typed is saved
const QUIET = 4000; // milliseconds between two things that are read aloud
const OURS = { "X-Studio": "fetch" };
const gone = document.getElementById("gone");
const said = document.getElementById("said");
document.documentElement.classList.add("js");

async function ask(address, options = {}) {
  try {
    const answer = await fetch(address, { ...options, headers: OURS, redirect: "error" });
    const text = await answer.text();
    gone.hidden = answer.status !== 403;
    return { ok: answer.ok, text, version: answer.headers.get("X-Version") };
  } catch {
    gone.hidden = false;
    return null;
  }
}

/* live parts */

let lastSaid = 0;
function say(box) {
  const text = [...box.querySelectorAll("[data-said]")].map((each) => each.dataset.said).join(". ");
  if (text && text !== said.textContent && Date.now() > lastSaid + QUIET) {
    said.textContent = text;
    lastSaid = Date.now();
  }
}

function replace(box, html) {
  const focused = box.contains(document.activeElement) ? document.activeElement.id : "";
  const opened = [...box.querySelectorAll("details[open]")].map((each) => each.id);
  box.innerHTML = html;
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

function typing(box) {
  return box.contains(document.activeElement) && document.activeElement.matches("input, select");
}

async function look(box) {
  if (document.hidden || typing(box)) return;
  const answer = await ask(box.dataset.live);
  if (!answer?.ok) return;
  const html = answer.text.trim();
  if (html === box.shown) return;
  const first = box.shown === undefined;
  box.shown = html;
  const busy = box.querySelector(".busy, #take") !== null;
  replace(box, html);
  say(box);
  const next = box.querySelector("[data-go]");
  if (!first && busy && next) window.location.assign(next.dataset.go);
  if (!first && busy && box.querySelector("[data-reload]")) window.location.reload();
}

async function follow(box) {
  while (!box.dataset.once || box.querySelector(".busy")) {
    await look(box);
    await new Promise((resume) => {
      box.resume = resume; // whoever changes something need not wait
      setTimeout(resume, box.querySelector(".busy") ? SOON : EVERY);
    });
  }
}

/* forms that save what is typed */

function complain(place, text) {
  const problem = (place.closest("fieldset, form") || document).querySelector(".problem");
  if (!problem) return;
  problem.textContent = text;
  problem.hidden = !text;
}

async function store(form, changed) {
  const fields = new URLSearchParams();
  const chosen = form.dataset.saveOne ? partners(form, changed) : [...form.elements];
  for (const each of chosen) if (each.name && each.name !== "version") fields.append(each.name, each.value);
  const answer = await ask(form.dataset.save, { method: "POST", body: fields, keepalive: true });
  if (!answer) return;
  if (answer.version) form.querySelector("[name=version]").value = answer.version;
  complain(changed, answer.ok ? "" : answer.text);
  for (const box of document.querySelectorAll("[data-live]")) box.resume?.();
}

/* a ladder that is typed belongs to the list that it is picked from */
function partners(form, changed) {
  const [kind, place] = changed.name.split("-");
  if (kind !== "ladder" && kind !== "other") return [changed];
  return [form.elements[`ladder-${place}`], form.elements[`other-${place}`]];
}

/* whether a field has been changed before this script was there to notice it */
function isChanged(field) {
  if (field.matches("select")) return !field.selectedOptions[0]?.defaultSelected;
  return field.matches("input") && field.value !== field.defaultValue;
}

const saved = []; // for each form that saves what is typed, how to do so at once

function saving(form) {
  let waiting;
  let pending = null; // the field that was changed last, if that is not sent yet
  let stored = Promise.resolve();
  const taken = () => {
    clearTimeout(waiting);
    const field = pending;
    pending = null;
    return field;
  };
  const save = () => {
    const field = taken();
    if (field) stored = stored.then(() => store(form, field));
    return stored;
  };
  const wait = (field, pause) => {
    if (form.dataset.saveOne && pending !== field) save();
    taken();
    pending = field;
    waiting = setTimeout(save, pause);
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault(); // what is being saved comes first, or the form would be older than what it sends
    taken();
    await stored;
    form.submit();
  });
  if (!form.dataset.saveOne) form.addEventListener("input", (event) => wait(event.target, TYPED));
  form.addEventListener("change", (event) => wait(event.target, 0));
  window.addEventListener("pagehide", () => pending && store(form, taken()));
  for (const field of form.elements) if (field.name !== "version" && isChanged(field)) wait(field, 0);
  saved.push(save);
}

/* other forms of a page are about what is typed: that is saved first */
async function afterSaving(event) {
  if (event.defaultPrevented) return;
  event.preventDefault();
  await Promise.all(saved.map((save) => save()));
  event.target.submit();
}

/* columns */

async function preview(column) {
  const box = column.querySelector("[data-preview]");
  const place = column.dataset.column;
  const picked = column.querySelector(`#ladder-${place}`).value;
  const ladder = picked === "other" ? column.querySelector(`#other-${place}`).value : picked;
  const weight = column.querySelector(`#weight-${place}`).value;
  const number = (box.asked = (box.asked || 0) + 1);
  const answer = await ask(`${box.dataset.preview}?${new URLSearchParams({ ladder, weight })}`);
  if (answer?.ok && box.asked === number) replace(box, answer.text);
}

function show(column) {
  const place = column.dataset.column;
  const role = column.querySelector(`#role-${place}`).value;
  for (const each of column.querySelectorAll("[data-role]")) each.hidden = each.dataset.role !== role;
  const other = column.querySelector(`#ladder-${place}`).value === "other";
  column.querySelector("[data-other]").classList.toggle("wanted", other);
  return role;
}

function columns(list) {
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      if (show(entry.target) === "quasi") preview(entry.target);
    }
  }, { rootMargin: "800px" });
  for (const column of list) {
    let waiting;
    show(column);
    seen.observe(column);
    column.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        if (show(column) === "quasi") preview(column);
      }, 200);
    });
  }
}

/* rows before and after stay side by side, however wide they are */

document.addEventListener("scroll", ({ target }) => {
  if (target.isLed) {
    target.isLed = false; // it was this that moved it
    return;
  }
  const room = (table) => table.scrollWidth - table.clientWidth;
  for (const other of target.closest?.(".pair")?.querySelectorAll(".scroll") ?? []) {
    if (other === target || !room(target)) continue;
    other.isLed = true;
    other.scrollLeft = (target.scrollLeft / room(target)) * room(other);
  }
}, true);

/* files that are dropped or chosen */

function send(form, file) {
  const state = document.getElementById("uploading");
  const request = new XMLHttpRequest(); // fetch does not say how far it is
  request.open("PUT", `${form.dataset.upload}?${new URLSearchParams({ name: file.name })}`);
  request.upload.onprogress = (event) => {
    state.textContent = `${file.name}: ${Math.floor((100 * event.loaded) / Math.max(1, event.total))}%`;
  };
  request.onload = () => {
    state.className = request.status === 204 ? "" : "problem";
    state.textContent = request.status === 204 ? `${file.name} is here.` : request.responseText;
  };
  request.onerror = () => {
    state.className = "problem";
    state.textContent = "The file could not be sent: it may be too large. Type its path instead.";
  };
  request.send(file);
}

function dropping(form) {
  const chosen = form.querySelector("input[type=file]");
  chosen.addEventListener("change", () => chosen.files[0] && send(form, chosen.files[0]));
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const kind of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(kind, (event) => {
      event.preventDefault();
      form.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files[0]) send(form, event.dataTransfer.files[0]);
    });
  }
}

/* begin */

for (const box of document.querySelectorAll("[data-live]")) follow(box);
for (const form of document.querySelectorAll("[data-save]")) saving(form);
for (const form of document.querySelectorAll("[data-upload]")) dropping(form);
columns(document.querySelectorAll("[data-column]"));
if (saved.length) document.addEventListener("submit", afterSaving);
document.getElementById("problem")?.focus();
document.addEventListener("click", (event) => {
  const dot = event.target.closest?.("[data-dot]");
  if (dot) document.querySelector(`[data-choose="${CSS.escape(dot.dataset.dot)}"]`)?.click();
});
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    said.textContent = button.textContent = "Copied";
  });
}
