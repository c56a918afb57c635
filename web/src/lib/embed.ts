/** The code with which another site shows a game or a position in a frame. */
import { invitationTo } from "./backend";
import { copy } from "./clip";
import { t } from "../words/words";

const quoted = (text: string): string => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;");

export const copyEmbed = (path: string, title: string): Promise<void> =>
  copy(
    `<iframe src="${quoted(invitationTo(`/embed${path}`))}" width="480" height="600" title="${quoted(title)}" ` +
      'style="border:0" loading="lazy"></iframe>',
    t("what.embed"),
  );
