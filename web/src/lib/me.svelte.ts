/** The visitor: a guest until they sign up or in. The server knows them by a cookie that this page cannot read. */
import { keepText, keptText } from "../storage/kept";
import { notice } from "./announce.svelte";
import { ask } from "./api";
import { t } from "../words/words";
import type { Person } from "./types";

/** `called`: the name of the account, as last known until the first answer of this visit; empty for guests */
export const me = $state<{ person: Person | null; known: boolean; called: string; was?: string }>({
  person: null,
  known: false,
  called: keptText("called") ?? "",
});

export async function learn(): Promise<void> {
  try {
    ({ person: me.person, was: me.was } = await ask("GET /api/me", {}));
    me.known = true;
    if (me.was && me.person) notice(t("account.renamed", { was: me.was, name: me.person.name }), true);
    me.called = (signedIn() && me.person?.name) || "";
    keepText("called", me.called || null);
  } catch {
    me.known = false;
  }
}

export const signedIn = (): boolean => me.person !== null && me.person.kind !== "guest";

/** Learn who the visitor is after what has changed it. */
const after = (change: Promise<unknown>): Promise<void> => change.then(learn);
export const rename = (name: string): Promise<void> => after(ask("POST /api/me", { name }));
export const signUp = (handle: string, password: string, name?: string): Promise<void> =>
  after(ask("POST /api/accounts", name ? { handle, password, name } : { handle, password }));
export const signIn = (handle: string, password: string): Promise<void> =>
  after(ask("POST /api/session", { handle, password }));
export const signOut = (): Promise<void> => after(ask("DELETE /api/session", {}));
