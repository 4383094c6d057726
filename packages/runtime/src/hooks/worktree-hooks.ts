import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { TroupeError, worktreeSlug } from "@troupe/protocol";
import type { Workspace, WorkspaceChoice, Workspaces } from "../workspace.ts";
import type { Hooks } from "./hooks.ts";
import { type HookReports, reported } from "./report.ts";

/**
 * Lets hooks make the places in which agents work. Where one does, nothing else is made; what is in
 * such a place only the hooks know, so it stays unless a hook removes it. Without a hook that names
 * a directory everything is as it was.
 */
export function withHooks(
  workspaces: Workspaces,
  hooks: Hooks,
  reports: HookReports,
  choice: WorkspaceChoice = {},
): Workspaces {
  return {
    async open(name, signal) {
      const outcome = reported(await hooks.fire("WorktreeCreate", { name: worktreeSlug(name) }, signal), reports);
      const { worktreePath, block, stop, errors } = outcome;
      const fault = block ?? stop?.reason ?? (worktreePath === undefined ? errors.join("\n") : "");
      if (fault !== "")
        throw new TroupeError(
          "document_unwritable",
          `the WorktreeCreate hook created no worktree for ${name}: ${fault}`,
          {
            name,
          },
        );
      return worktreePath === undefined ? workspaces.open(name, signal, choice) : workspaceAt(screened(worktreePath));
    },
  };

  function workspaceAt(path: string): Workspace {
    let given: ReturnType<Workspace["release"]> | undefined;
    return {
      path,
      madeByHook: true,
      leave: async () => ({ isChanged: existsSync(path) }),
      release() {
        given ??= remove(path);
        return given;
      },
    };
  }

  async function remove(path: string): Promise<{ isKept: boolean }> {
    reported(await hooks.fire("WorktreeRemove", { worktree_path: path }, new AbortController().signal), reports);
    return { isKept: existsSync(path) };
  }
}

/**
 * A directory that is where its path says: a path with a link in it may lead anywhere by the time
 * it is used.
 */
function screened(path: string): string {
  const place = resolve(path);
  const refuse = (why: string) =>
    new TroupeError("path_escaping", `the WorktreeCreate hook printed ${JSON.stringify(path)}, ${why}`, { path });
  if (!isAbsolute(path) || path.split(/[/\\]/).includes(".."))
    throw refuse('which is not an absolute path without "..": print one');
  if (!isDirectory(place)) throw refuse("which is not a directory: print only the path on the last line");
  const real = realpathSync(place);
  if (real !== place) throw refuse(`which leads through a link to ${real}: print that path`);
  return place;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
