// Submissions: the name is read from bot.yaml, files are dropped anywhere, progress is shown.
// Without scripts the form does the same, with the name as a field.
"use strict";

const MOST_MANIFEST = 65536;
const MOST_READ = 64 * 1024 * 1024;
// In a block or in braces: name: mine, {"name": "mine"}.
const NAME = /(?:^|^\{[ \t\r\n]*|,[ \t\r\n]*)(["']?)name\1:[ \t]*(["']?)([A-Za-z0-9][A-Za-z0-9_-]{0,31})\2[ \t]*(?=#|,|\}|\r?$)/m;
// At the top of the archive, or in its one folder.
const MANIFEST = /^(?:\.\/)?(?:[^/]+\/)?bot\.yaml$/;

const text = (bytes) => new TextDecoder().decode(bytes);

async function inflated(bytes, format) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    if (size > MOST_READ) {
      await reader.cancel();
      break;
    }
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function inZip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const length = view.getUint16(at + 28, true);
    if (MANIFEST.test(text(bytes.subarray(at + 46, at + 46 + length)))) {
      const local = view.getUint32(at + 42, true);
      const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      const packed = bytes.subarray(begin, begin + view.getUint32(at + 20, true));
      const plain = view.getUint16(at + 10, true) === 0;
      return plain ? packed : inflated(packed, "deflate-raw");
    }
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return null;
}

function inTar(bytes) {
  for (let at = 0; at + 512 <= bytes.length; ) {
    const name = text(bytes.subarray(at, at + 100)).replace(/\0[^]*$/, "");
    const size = parseInt(text(bytes.subarray(at + 124, at + 136)), 8) || 0;
    if (!name) return null;
    if (MANIFEST.test(name)) return bytes.subarray(at + 512, at + 512 + size);
    at += 512 + 512 * Math.ceil(size / 512);
  }
  return null;
}

// How archives begin: zip, gzip, bzip2, xz; tar says what it is further on.
const ARCHIVES = ["PK", "\x1f\x8b", "BZh", "\xfd7zXZ\0"];

async function isArchive(file) {
  const begin = String.fromCharCode(...new Uint8Array(await file.slice(0, 262).arrayBuffer()));
  return ARCHIVES.some((magic) => begin.startsWith(magic)) || begin.slice(257) === "ustar";
}

// Returns the name in the bot.yaml of an archive; "" where it cannot be read here.
async function nameIn(file) {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    let manifest;
    if (text(bytes.subarray(0, 2)) === "PK") manifest = await inZip(bytes);
    else manifest = inTar(bytes[0] === 0x1f && bytes[1] === 0x8b ? await inflated(bytes, "gzip") : bytes);
    return NAME.exec(text(manifest.subarray(0, MOST_MANIFEST)))?.[3] ?? "";
  } catch {
    return "";
  }
}

async function digestOf(file) {
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

class Upload {
  constructor(form) {
    this.form = form;
    this.status = form.querySelector("[data-upload-status]");
    this.progress = form.querySelector("[data-upload-progress]");
    this.bot = form.querySelector("[data-bot-field]");
    this.file = null;
    if (!form.elements.bot.value) this.bot.hidden = true;
    form.querySelector("[data-drop-hint]").hidden = false;
  }

  say(words) {
    this.status.textContent = words;
  }

  // Read the name; without one the field is shown again.
  async take(file) {
    this.file = null;
    if (!await isArchive(file)) {
      this.form.elements.file.value = "";
      this.say(`${file.name} is not an archive: pack the folder of the bot as .zip or .tar.`);
      return false;
    }
    this.file = file;
    const name = await nameIn(file);
    if (name) this.form.elements.bot.value = name;
    this.bot.hidden = Boolean(name);
    if (name) this.say(`${file.name} is a version of ${name}.`);
    else this.say(`Which bot is ${file.name}? Its bot.yaml cannot be read here: write the name.`);
    return Boolean(name);
  }

  async send() {
    const { bot, note } = this.form.elements;
    if (!this.file) return this.say("Choose an archive first.");
    if (!navigator.onLine) return this.say("You are offline: send it when you are back.");
    if (!bot.reportValidity()) return undefined;
    const asked = new URLSearchParams(note.value ? { note: note.value } : {});
    const request = new XMLHttpRequest();
    request.open("PUT", `${this.form.dataset.bots}${encodeURIComponent(bot.value)}/versions?${asked}`);
    // Over plain HTTP browsers compute none.
    if (crypto.subtle) request.setRequestHeader("Content-Digest", `sha-256=:${await digestOf(this.file)}:`);
    this.progress.hidden = false;
    request.upload.addEventListener("progress", (event) => this.show(event));
    request.addEventListener("load", () => this.hear(request));
    request.addEventListener("error", () => this.fail());
    request.send(this.file);
    return this.say(`Sending ${this.file.name} …`);
  }

  show(event) {
    if (!event.lengthComputable) return;
    this.progress.value = event.loaded / event.total;
    this.say(`Sending ${this.file.name}: ${Math.floor((100 * event.loaded) / event.total)} %`);
  }

  hear(request) {
    this.progress.hidden = true;
    let answer = {};
    try {
      answer = JSON.parse(request.responseText);
    } catch {
      answer.what = "The answer cannot be read: look at your versions below";
    }
    if (request.status < 300) location.assign(this.form.dataset.versions + answer.version);
    else this.say([answer.what, answer.hint].filter(Boolean).join(": "));
  }

  fail() {
    this.progress.hidden = true;
    const why = navigator.onLine ? "The connection broke off" : "You are offline";
    this.say(`${why}: send it again. The same files are never taken twice.`);
  }
}

function takeFiles(form) {
  const upload = new Upload(form);
  form.elements.file.addEventListener("change", (event) => {
    if (event.target.files.length) upload.take(event.target.files[0]);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    upload.send();
  });
  const carriesFile = (event) => event.dataTransfer?.types.includes("Files");
  const mark = (over) => document.documentElement.classList.toggle("dropping", over);
  addEventListener("dragover", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    mark(true);
  });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) mark(false); });
  addEventListener("drop", async (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    mark(false);
    const { files } = event.dataTransfer;
    if (!files.length) return;
    form.elements.file.files = files;
    if (await upload.take(files[0])) upload.send();
  });
  addEventListener("offline", () => upload.say("You are offline."));
  addEventListener("online", () => upload.say("You are online again."));
}

document.querySelectorAll("[data-upload]").forEach(takeFiles);
