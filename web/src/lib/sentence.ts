/** A refusal as a sentence: what was wrong, of what. */
import { ended, t } from "../words/words";

/** What things are called that the server names by their fields. */
const NOUNS: Record<string, string> = {
  address: "this address",
  code: "the code",
  email: "the e-mail address",
  handle: "the handle",
  link: "the link",
  message: "the message",
  name: "the name",
  new: "the new password",
  old: "the old password",
  password: "the password",
  position: "the position",
  record: "the record",
  seat: "the seat",
  table: "the table",
  text: "the text",
  token: "the token",
};
/** With these words begins what is said of something; anything else is a sentence of its own. */
const PREDICATE =
  /^(is|are|has|have|must|can|cannot|may|needs?|names?|says?|stands?|ends?|holds?|does|was|were|will|should|already)\b/;
const AS_CHECKED = /^(?:String|Input|Value|List|Dictionary|Field) (should)/;

/** A text as it stands at the beginning of a sentence. */
export const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `seats.1.name` is the name; what has no name of its own is called as it is, unless it is a mere place. */
function noun(where: string): string {
  const parts = where.split(".").filter((part) => part && part !== "body" && part !== "query" && !/^\d+$/.test(part));
  const last = parts.at(-1) ?? "";
  return NOUNS[last] ?? (last ? `“${last}”` : "");
}

export function sentence(where: string, why: string): string {
  const told = why.trim();
  if (!told) return t("common.failed");
  const checked = told === "Field required" ? "is missing" : told.replace(AS_CHECKED, "$1");
  const about = noun(where);
  if (about && PREDICATE.test(checked)) return ended(upper(`${about} ${checked}`));
  return ended(upper(checked));
}
