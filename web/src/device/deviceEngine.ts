/** Runs Tercet on the device for the page of a server, which imports this when an engine is first asked for. */
import type { DeviceEngine } from "../lib/device";
import { Channel, begin, fail, follow, followers, makeSnapshot, request, state } from "./deviceLink";

const QUIET = 30_000; // ms from the start until a snapshot for the next one is made

const stop = (): void => fail({ why: "stopped", detail: "" });
begin(stop);
let made = false;
followers.add(() => {
  if (state.started < 1 || made) return;
  made = true;
  setTimeout(makeSnapshot, QUIET);
});

export const engine: DeviceEngine = {
  get ready() {
    return state.started === 1 && !state.failure;
  },
  stop,
  follow,
  fetch: request,
  open: (path) => new Channel(path),
};
