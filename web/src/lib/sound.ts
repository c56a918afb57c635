/** Sounds, synthesised from a few partials: a piece set down, a capture, the end of a game. */
import { settings } from "./settings.svelte";
import type { GameEvent } from "./types";

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

let noise: AudioBuffer | null = null;

/** A capture: a short burst of noise through a falling filter, a little different each time. */
function crunch(at: AudioContext, when: number, i: number): void {
  if (!noise) {
    noise = at.createBuffer(1, at.sampleRate * 0.2, at.sampleRate);
    const data = noise.getChannelData(0);
    for (let k = 0; k < data.length; k++) data[k] = (Math.random() * 2 - 1) * (Math.random() < 0.35 ? 1 : 0.25);
  }
  const source = at.createBufferSource();
  const filter = at.createBiquadFilter();
  const gain = at.createGain();
  source.buffer = noise;
  source.playbackRate.value = 0.8 + 0.06 * (i % 7);
  filter.type = "bandpass";
  filter.Q.value = 1.1;
  filter.frequency.setValueAtTime(2100 + 120 * (i % 7), when);
  filter.frequency.exponentialRampToValueAtTime(650, when + 0.11);
  gain.gain.setValueAtTime(0.0001, when);
  gain.gain.exponentialRampToValueAtTime(0.7 * settings.volume, when + 0.006);
  gain.gain.exponentialRampToValueAtTime(0.0001, when + 0.13);
  source.connect(filter).connect(gain).connect(at.destination);
  source.start(when);
  source.stop(when + 0.15);
}

/** Return the sound of an event. Games name sounds for their own events; any other event on cells is a move. */
export function soundOf(sounds: Readonly<Record<string, string>>, event: Heard): string {
  if (event.kind === "ended") return "end";
  return sounds[event.kind] ?? (event.cells.length ? "move" : "silent");
}
type Heard = Pick<GameEvent, "kind" | "cells">;

/** milliseconds that the events of one action may take, however many there are */
const LONGEST = 5000;
const LEAST = 40;

/** Return the audible sounds of an action's events, and the milliseconds between two. */
export function score(
  events: readonly Heard[],
  sounds: Readonly<Record<string, string>>,
  step: number,
): { heard: string[]; gap: number } {
  const heard = events.map((event) => soundOf(sounds, event)).filter((sound) => sound !== "silent");
  return { heard, gap: Math.min(Math.max(step, LEAST), LONGEST / Math.max(1, heard.length)) };
}

const DRAWN = 30; // ms until the move is drawn: the first sound of a visit holds the page up

/** Play a sound for each event of an action, in order, `step` milliseconds apart or closer if there are many. */
export function playEvents(events: readonly Heard[], sounds: Readonly<Record<string, string>>, step: number): void {
  if (settings.sound) setTimeout(() => play(events, sounds, step), DRAWN);
}

function play(events: readonly Heard[], sounds: Readonly<Record<string, string>>, step: number): void {
  const at = audio();
  if (!at) return;
  const { heard, gap } = score(events, sounds, step);
  let when = at.currentTime + 0.01;
  for (const [i, sound] of heard.entries()) {
    if (sound === "end") {
      for (const [k, pitch] of [392, 494, 587].entries()) knock(at, when + 0.1 + k * 0.13, pitch, 0.7, 0.3);
    } else if (sound === "capture") {
      crunch(at, when, i);
    } else {
      knock(at, when, sound === "place" ? 520 : 390 + 18 * (i % 12), 0.16, 0.5);
    }
    when += gap / 1000;
  }
}

/** Play the sound of a move that has no events. */
export const playMove = (): void => playEvents([{ kind: "placed", cells: ["-"] }], { placed: "place" }, 0);

export function playNotice(): void {
  const at = audio();
  if (at) knock(at, at.currentTime + 0.01, 660, 0.3, 0.25);
}
