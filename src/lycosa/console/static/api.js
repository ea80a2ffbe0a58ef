// What pages of lycosa say to the server, and how it is told whether it worked.

export class Refused extends Error {}

async function asked(method, path, body) {
  const options = { method, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(`/api/v1${path}`, options);
  const told = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Refused(told.detail || told.title);
  return told;
}

export const get = (path) => asked("GET", path);
export const post = (path, body = {}) => asked("POST", path, body);
export const remove = (path) => asked("DELETE", path, {});

export const crawlPath = (name) => `/crawls/${encodeURIComponent(name)}`;

// Says something to everybody who looks at the page, those who listen included.
export function say(text, isWrong = false) {
  const place = document.getElementById("said");
  place.textContent = text;
  place.classList.toggle("wrong", isWrong);
}

// Does something that may be refused, and says what came of it.
export async function tried(work, done = "") {
  try {
    const told = await work();
    if (done) say(done);
    return told;
  } catch (error) {
    say(error instanceof Refused ? error.message : "lycosa does not answer; is it running still?", true);
    return undefined;
  }
}

// An element with text of the web: never as HTML, and isolated in its writing direction.
export function words(text, tag = "bdi") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (tag !== "bdi") made.dir = "auto";
  return made;
}

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== false) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// The facts that the server wrote into the page.
export function given(id = "given") {
  return JSON.parse(document.getElementById(id).textContent);
}
