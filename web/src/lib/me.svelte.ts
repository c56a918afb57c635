/** The visitor: a guest until they sign up or in. The server knows them by a cookie that this page cannot read. */
import { ask } from "./api";
import type { Person } from "./types";

export const me = $state<{ person: Person | null; known: boolean }>({ person: null, known: false });

export async function learn(): Promise<void> {
  try {
    me.person = (await ask("GET /api/me", {})).person;
    me.known = true;
  } catch {
    me.known = false;
  }
}

export const signedIn = (): boolean => me.person !== null && me.person.kind !== "guest";

export async function rename(name: string): Promise<void> {
  await ask("POST /api/me", { name });
  await learn();
}
export async function signUp(handle: string, password: string, name?: string): Promise<void> {
  await ask("POST /api/accounts", name ? { handle, password, name } : { handle, password });
  await learn();
}
export async function signIn(handle: string, password: string): Promise<void> {
  await ask("POST /api/session", { handle, password });
  await learn();
}
export async function signOut(): Promise<void> {
  await ask("DELETE /api/session", {});
  await learn();
}
