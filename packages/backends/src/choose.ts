import { programIn } from "@troupe/process";
import { type Revision, TroupeError } from "@troupe/protocol";
import { insideOf } from "./tmux/place.ts";

/** How teammates are shown, which says where they run. */
export type DisplayMode = "auto" | "tmux" | "in-process" | "process";

const modes: readonly string[] = ["auto", "tmux", "in-process", "process"] satisfies readonly DisplayMode[];

export interface ChooseDeps {
  /** As a person or a setting says it; absent, the reference client of the revision decides. */
  readonly mode?: string | undefined;
  readonly revision: Revision;
  /** Backends besides those of every revision, by name. */
  readonly others?: readonly string[];
  /** That of the lead. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface Choice {
  /** The name of a backend. */
  readonly backend: string;
  /** In words for a person. */
  readonly why: string;
}

/**
 * The backend of the teammates to come. What was asked for is what is chosen, also where it will
 * refuse to start anything; throws `arguments_invalid` for a mode that there is not.
 */
export function chooseBackend({ mode, revision, others = [], environment }: ChooseDeps): Choice {
  if (mode === "iterm2")
    throw refusedMode("panes of iTerm2 are not offered: run tmux -CC in iTerm2 and choose tmux", mode);
  const all = [...modes, ...others];
  if (mode !== undefined && !all.includes(mode))
    throw refusedMode(`${JSON.stringify(mode)} is no display mode: choose one of ${all.join(", ")}`, mode);
  if (mode !== undefined && mode !== "auto") return { backend: mode, why: `${mode} was asked for` };
  if (mode === undefined && revision === "2026-11") return { backend: "in-process", why: "no display mode was set" };
  if (!insideOf(environment)) return { backend: "in-process", why: "the lead is not in tmux" };
  if (programIn("tmux", environment["PATH"])) return { backend: "tmux", why: "the lead is in tmux" };
  return { backend: "in-process", why: "the lead is in tmux, and no directory of PATH has it" };
}

const refusedMode = (message: string, mode: string): TroupeError =>
  new TroupeError("arguments_invalid", message, { mode });
