/** The latest state of the table that was open last: the next visit shows it before Python has started. */
import { keep, keepText, kept } from "../storage/kept";

interface Last {
  build: string;
  /** the path of the table's socket, with the language */
  address: string;
  snapshot: string;
}

function addressOf(path: string): string {
  const { pathname, searchParams } = new URL(path, location.href);
  return `${pathname} ${searchParams.get("lang") ?? ""}`;
}

/** Keep a snapshot, but not one of a clock: it stands still while the page is closed. */
export function keepSnapshot(build: string, path: string, snapshot: string): void {
  const { state } = JSON.parse(snapshot) as { state: { clock: unknown } };
  if (state.clock) keepText("lastTable", null);
  else keep("lastTable", { build, address: addressOf(path), snapshot } satisfies Last);
}

export function keptSnapshot(build: string, path: string): string | undefined {
  const last = kept<Partial<Last>>("lastTable", {});
  return last.build === build && last.address === addressOf(path) ? last.snapshot : undefined;
}
