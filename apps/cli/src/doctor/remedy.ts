import { basename, join } from "node:path";
import { printable } from "../visible.ts";
import type { Found } from "./orphans.ts";

/** A line to paste into a shell, or one sentence that says why there is none. */
export type Remedy = { readonly command: string } | { readonly why: string };

/** Returns the command that fixes a finding or removes what it is about. */
export function remedyOf(found: Found, root: string): Remedy {
  const { kind, path, fix, isMendable } = found;
  const below = `--root ${quoted(root)}`;
  const file = join(root, path);
  if (printable(`${root}${path}`) !== `${root}${path}`) return { why: "its name cannot be typed: rename it first" };
  if (kind === "teammate_orphaned") return { command: `troupe doctor --prune ${below}` };
  if (found.kind === "teammate_led_by_hand")
    return { command: `troupe shutdown ${quoted(found.team)} ${quoted(found.member)} ${below}` };
  if (kind === "record_unreadable") return { why: `whose it is cannot be told: ${fix}` };
  if (found.kind === "request_waiting" || found.kind === "teammate_leaderless")
    return { command: `troupe shutdown ${quoted(found.team)} ${quoted(found.member)} --wait 0 --force` };
  if (found.kind === "host_silent") return { command: `troupe host remove ${quoted(found.host)}` };
  if (isMendable) return { command: `troupe doctor --fix ${below}` };
  if (kind === "member_gone") return { command: `troupe team delete ${basename(join(file, ".."))} --force ${below}` };
  if (kind === "document_corrupt" || kind === "directory_unusable")
    return { command: `mv -n ${quoted(file)} ${quoted(`${file}.aside`)}` };
  return { why: `only its writer knows what it should say: ${fix} in ${path}` };
}

/** Quotes a text as one word for any shell. */
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
