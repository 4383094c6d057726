import { TroupeError } from "../errors.ts";
import { assertGiven } from "../given.ts";
import type { Member } from "../team.ts";

/** Throws if a pane and a backend do not match: the pane must be the one that finds the member. */
export function assertPlaced({
  cwd,
  tmuxPaneId,
  backendType,
}: { readonly [Field in "cwd" | "tmuxPaneId" | "backendType"]?: Member[Field] }): void {
  const panes = new Map([
    ["tmux", /^%\d+$/],
    ["in-process", /^in-process$/],
  ]);
  const given = { cwd, tmuxPaneId, backendType };
  assertGiven("a member", given, { cwd: "string?", tmuxPaneId: "string?", backendType: "string?" });
  if (cwd !== undefined && !/^(\/|[A-Za-z]:[\\/])/.test(cwd)) throw wrong("cwd", cwd, "an absolute path");
  if (backendType === undefined) return;
  const pane = panes.get(backendType);
  if (!pane) throw wrong("backendType", backendType, "tmux or in-process");
  if (tmuxPaneId === undefined || pane.test(tmuxPaneId)) return;
  throw wrong("tmuxPaneId", tmuxPaneId, backendType === "tmux" ? "a pane as tmux names it, such as %14" : "in-process");
}

const wrong = (field: string, value: string, right: string): TroupeError =>
  new TroupeError("document_invalid", `${field} is ${JSON.stringify(value)}: make it ${right}`, { field, value });
