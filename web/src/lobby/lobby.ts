/** The lobby, kept up to date by what the server says has changed. */
import type { LobbyChangesMessage, LobbyData, LobbyMessage } from "../lib/types";

function part<T extends { id: string }>(before: readonly T[], ids: readonly string[], changed: readonly T[]): T[] {
  const known = new Map([...before, ...changed].map((one) => [one.id, one]));
  return ids.flatMap((id) => known.get(id) ?? []);
}

/** What the lobby is after `message`, whole or changes of what was known; null where it is neither. */
export function lobbyAfter(now: LobbyData | null, message: unknown): LobbyData | null {
  const { type, ...data } = message as LobbyMessage | LobbyChangesMessage;
  if (type === "lobby") return data as LobbyData;
  if (type !== "lobby-changes") return null;
  const { openChanged, liveChanged, ...rest } = data as Omit<LobbyChangesMessage, "type">;
  return {
    ...rest,
    open: part(now?.open ?? [], rest.open, openChanged),
    live: part(now?.live ?? [], rest.live, liveChanged),
  };
}
