/** The quick game that one waits to be paired for, on any page; `lobby/pairing.ts` does the waiting. */
import type { SeekingPeople } from "../lib/types";

export interface QuickGame extends Omit<SeekingPeople, "people"> {
  title: string;
}
export const seeking = $state<{ wish: QuickGame | null }>({ wish: null });
