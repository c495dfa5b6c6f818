/* What the scripts of the site share: how elements are made, and how data is loaded.

   A page on a file system may load scripts and nothing else, so data comes as scripts that call
   perudoShard. Every text comes from bots in the end: it is only ever set as text, never as markup. */
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "path", "rect", "text", "use", "foreignObject"]);
const waiting = new Map();

const get = (id) => document.getElementById(id);

function element(kind, options = {}, ...children) {
  const made = DRAWN.has(kind) ? document.createElementNS(SVG, kind) : document.createElement(kind);
  for (const [key, value] of Object.entries(options)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Load what a script holds; `name` is what the script calls it. Rejects if there is no such script. */
function load(name, src) {
  return new Promise((resolve, reject) => {
    waiting.set(name, resolve);
    const script = element("script", { src });
    script.addEventListener("error", () => reject(new Error(`${src} is missing`)));
    document.head.append(script);
  });
}

window.perudoShard = async (name, text) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const resolve = waiting.get(name);
  if (resolve) resolve(await new Response(stream).json());
};
