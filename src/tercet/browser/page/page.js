// The page: it shows what the worker's Python says of the game and sends what people press. It knows no game.
const at = (id) => document.getElementById(id);
const SAVED = "tercet game";
let offered = [];
let chosen;
let view;
let busy = false;
let waiting = 0;
const answers = new Map();
const worker = new Worker("worker.js", { type: "module" });

worker.onerror = () => say("Tercet could not start in this browser. It needs WebAssembly and modules in workers.", true);
worker.onmessage = ({ data }) => {
  if (data.progress !== undefined) at("progress").value = data.progress;
  else if (data.failed) say(data.failed, true);
  else if (data.offered) open(data.offered);
  else {
    const { resolve, reject } = answers.get(data.id);
    answers.delete(data.id);
    if (data.error === undefined) resolve(data.answer);
    else reject(new Error(data.error));
  }
};

function ask(method, ...given) {
  return new Promise((resolve, reject) => {
    answers.set(++waiting, { resolve, reject });
    worker.postMessage({ id: waiting, method, given });
  });
}

function say(text, refused = false) {
  at("prompt").textContent = text;
  at("prompt").classList.toggle("refused", refused);
}

function made(kind, text, more = {}) {
  return Object.assign(document.createElement(kind), { textContent: text }, more);
}

async function open(found) {
  offered = found;
  at("progress").hidden = true;
  at("games").replaceChildren(...offered.map((game) => made("button", game.title, { onclick: () => choose(game, true) })));
  const saved = stored();
  if (saved) {
    try {
      const again = await ask("load", saved);
      choose(offered.find((game) => game.name === JSON.parse(saved).game), false);
      return show(again);
    } catch (error) {
      at("notice").textContent = `${error.message} A new game has begun.`;
    }
  }
  choose(offered[0], true);
}

function choose(game, begin) {
  chosen = game;
  [...at("games").children].forEach((button) => button.setAttribute("aria-current", button.textContent === game.title));
  at("about").textContent = game.summary;
  at("way").replaceChildren(...game.ways.map((way, number) => new Option(way.title, number)));
  seats();
  if (begin) start();
}

function seats() {
  at("seats").replaceChildren(...chosen.players.map((name, seat) => {
    const box = document.createElement("select");
    box.dataset.seat = seat;
    box.append(new Option("a person", 0), ...chosen.levels.map((level) => new Option(`engine, level ${level}`, level)));
    box.value = seat ? chosen.levels[0] : 0;
    const label = made("label", `${name}: `);
    label.append(box);
    return label;
  }));
}

async function start() {
  const way = chosen.ways[at("way").value || 0];
  const levels = [...at("seats").querySelectorAll("select")].map((box) => Number(box.value));
  const seed = crypto.getRandomValues(new Uint32Array(1))[0];
  await act("open", chosen.name, JSON.stringify(way.options), levels, seed);
}

async function act(method, ...given) {
  if (busy) return;
  busy = true;
  try {
    show(await ask(method, ...given));
  } catch (error) {
    say(error.message, true);
  }
  busy = false;
  if (view?.thinking) await act("reply");
}

function show(text) {
  view = JSON.parse(text);
  const focused = document.activeElement?.dataset?.step;
  at("board").innerHTML = view.svg; // from our own worker, which escapes all texts
  if (focused) at("board").querySelector(`[data-step="${CSS.escape(focused)}"]`)?.focus();
  say(view.prompt, view.refused);
  at("picks").replaceChildren(...view.picks.map((pick) => {
    const button = made("button", pick.label, { type: "button", disabled: !pick.asked && !pick.chosen });
    button.dataset.step = pick.step;
    button.setAttribute("aria-pressed", pick.chosen);
    if (pick.note) button.append(" ", made("small", pick.note));
    return button;
  }));
  at("players").replaceChildren(...view.players.map((player, seat) => made("span", player.level ? `${player.name} (engine, level ${player.level})` : player.name, { className: seat === view.mover ? "mover" : "" })));
  at("panels").replaceChildren(...view.panels.map((panel) => made("p", [panel.title, ...panel.lines].filter(Boolean).join(" · "))));
  at("moves").replaceChildren(...view.moves.map((move) => made("li", move)));
  at("moves").scrollTop = at("moves").scrollHeight;
  at("undo").disabled = !view.moves.length;
  keep();
}

async function keep() {
  try {
    localStorage.setItem(SAVED, await ask("save"));
  } catch {
    at("notice").textContent = "This browser keeps no data for this page: the game is lost when you close it.";
  }
}

function stored() {
  try {
    return localStorage.getItem(SAVED);
  } catch {
    return null;
  }
}

function press(event) {
  const step = event.target.closest?.("[data-step]")?.dataset.step;
  if (step) act("press", step);
}

at("board").addEventListener("click", press);
at("picks").addEventListener("click", press);
at("board").addEventListener("keydown", (event) => {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    press(event);
  }
});
at("setup").addEventListener("submit", (event) => {
  event.preventDefault();
  start();
});
at("undo").addEventListener("click", () => act("undo"));
at("night").addEventListener("click", () => {
  const night = document.documentElement.classList.toggle("night");
  act("dark", night);
});

if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register("service.js").then((registered) => {
    registered.addEventListener("updatefound", () => {
      const fresh = registered.installing;
      fresh.addEventListener("statechange", () => {
        if (fresh.state !== "installed") return;
        at("notice").textContent = navigator.serviceWorker.controller
          ? "A new version is ready. It starts when you have closed all windows of Tercet."
          : "Tercet is kept on this device now: it plays without a network.";
      });
    });
  }).catch(() => {});
}
