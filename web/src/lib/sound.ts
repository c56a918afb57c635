/** Sounds, made here from a few partials: a stone set down, a stone exchanged, a game's end. */
import { settings } from "./settings.svelte";

let context: AudioContext | null = null;

function audio(): AudioContext | null {
  if (!settings.sound || typeof AudioContext === "undefined") return null;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  return context;
}

function knock(at: AudioContext, when: number, pitch: number, length: number, loud: number): void {
  for (const [ratio, share] of [
    [1, 1],
    [2.76, 0.32],
    [5.4, 0.12],
  ] as const) {
    const tone = at.createOscillator();
    const gain = at.createGain();
    tone.type = "sine";
    tone.frequency.setValueAtTime(pitch * ratio, when);
    tone.frequency.exponentialRampToValueAtTime(pitch * ratio * 0.92, when + length);
    gain.gain.setValueAtTime(0.0001, when);
    gain.gain.exponentialRampToValueAtTime(loud * share * settings.volume, when + 0.004);
    gain.gain.exponentialRampToValueAtTime(0.0001, when + length / ratio ** 0.5);
    tone.connect(gain).connect(at.destination);
    tone.start(when);
    tone.stop(when + length + 0.02);
  }
}

/** A sound for each event of an action, in order; whatever a game calls them, an event on cells is a knock. */
export function playEvents(events: readonly { kind: string; cells: readonly string[] }[], step: number): void {
  const at = audio();
  if (!at) return;
  let when = at.currentTime + 0.01;
  for (const [i, event] of events.slice(0, 40).entries()) {
    if (event.kind === "ended") {
      for (const [k, pitch] of [392, 494, 587].entries()) knock(at, when + 0.1 + k * 0.13, pitch, 0.7, 0.3);
    } else if (event.cells.length) {
      knock(at, when, event.kind === "placed" ? 520 : 390 + 18 * (i % 12), 0.16, 0.5);
    }
    when += Math.max(step, 40) / 1000;
  }
}

export function playNotice(): void {
  const at = audio();
  if (at) knock(at, at.currentTime + 0.01, 660, 0.3, 0.25);
}
