/** What stands below the games on the first page, loaded as one part. */
export { default as DailyPuzzles } from "../puzzles/DailyPuzzles.svelte";
export { default as OpenGames } from "./OpenGames.svelte";
export { default as QuickPair } from "./QuickPair.svelte";
