/** The lobby, kept current by the changes that the server sends. */
import type { LobbyData } from "./types";

interface Changes {
  total: number;
  page: number;
  open: string[];
  live: string[];
  openChanged: LobbyData["open"];
  liveChanged: LobbyData["live"];
}

function part<T extends { id: string }>(before: readonly T[], ids: readonly string[], changed: readonly T[]): T[] {
  const known = new Map([...before, ...changed].map((one) => [one.id, one]));
  return ids.flatMap((id) => known.get(id) ?? []);
}

/** Return the lobby after `message`, a whole lobby or a change, or null for any other message. */
export function lobbyAfter(now: LobbyData | null, message: unknown): LobbyData | null {
  const found = message as { type?: string };
  if (found.type === "lobby") {
    const { open, live, total, page } = message as LobbyData;
    return { open, live, total, page };
  }
  if (found.type !== "lobby-changes") return null;
  const changes = message as Changes;
  return {
    open: part(now?.open ?? [], changes.open, changes.openChanged),
    live: part(now?.live ?? [], changes.live, changes.liveChanged),
    total: changes.total,
    page: changes.page,
  };
}
