/** The quick game that one waits to be paired for, on any page; `lib/pairing.ts` does the waiting. */
import type { SeekingPeople } from "./protocol.generated";

export interface QuickGame extends Omit<SeekingPeople, "people"> {
  title: string;
}
export const seeking = $state<{ wish: QuickGame | null }>({ wish: null });
