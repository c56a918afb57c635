/** The table of routes: the component of each page that the server's list of addresses names (see `pageAt.ts`). */
import type { Component } from "svelte";
import { route } from "../lib/router.svelte";
import Home from "../lobby/Home.svelte";
import type { PageName } from "./pageAt";

/** The parts of an address, empty where it has none. */
export type Given = Record<"game" | "id" | "skin" | "handle", string>;

interface Loaded {
  /** It takes those parts of the address that it needs. */
  default: Component<never>;
}
export interface Route {
  /** Return the component. Most are loaded when the page is first opened. */
  load(): Loaded | Promise<Loaded>;
  /** Return what a page stands for: when it changes, the page starts afresh. */
  key?(given: Given): string;
  /** whether the page needs a server */
  served?: true;
}

export const ROUTES: Readonly<Record<PageName, Route>> = {
  home: { load: () => ({ default: Home }), key: ({ game }) => game },
  table: { load: () => import("../table/Table.svelte"), key: ({ id }) => id },
  analysis: {
    load: () => import("../analysis/Analysis.svelte"),
    key: ({ id }) => id || route.search + route.hash,
  },
  analyses: { load: () => import("../analysis/Analyses.svelte") },
  editor: { load: () => import("../analysis/Editor.svelte"), key: () => route.search },
  moments: { load: () => import("../analysis/Moments.svelte"), key: ({ id }) => id },
  rules: { load: () => import("../lessons/Rules.svelte") },
  learn: { load: () => import("../lessons/Learn.svelte") },
  lesson: { load: () => import("../lessons/Lesson.svelte"), key: () => route.path },
  puzzles: { load: () => import("../puzzles/Puzzles.svelte"), key: () => route.path },
  games: { load: () => import("../people/Games.svelte") },
  players: { load: () => import("../people/Leaderboard.svelte"), served: true },
  profile: { load: () => import("../people/Profile.svelte"), key: () => route.path, served: true },
  account: { load: () => import("../people/Account.svelte"), served: true },
  tournaments: { load: () => import("../tournaments/Tournaments.svelte"), served: true },
  tournament: { load: () => import("../tournaments/Tournament.svelte"), key: ({ id }) => id, served: true },
  dial: { load: () => import("../dial/Dial.svelte"), key: () => route.path + route.hash },
  console: { load: () => import("../console/Console.svelte"), key: () => route.hash },
  lab: { load: () => import("./Lab.svelte"), served: true },
  about: { load: () => import("./About.svelte") },
};
