import { type Command, defineCommand, yesOption } from "../command.ts";

/** The commands about the worktrees in which agents worked. */
export const worktreeCommands: readonly Command[] = [
  defineCommand({
    name: "worktree list",
    summary: "list the worktrees of agents in this repository, and what was done in each",
    details:
      "Says of each whether an agent works there (used), whether nothing is in it that is not elsewhere (clean), what was changed in it (changed), or why that cannot be told (unknown).",
    args: [],
    options: {},
    examples: [["troupe worktree list", "one line per worktree below .claude/worktrees"]],
    load: () => import("./list.ts"),
  }),
  defineCommand({
    name: "worktree sweep",
    summary: "remove the worktrees that nobody needs: no agent works there and nothing would be lost",
    details:
      "Removes a worktree and its branch only if no agent works there, it has no changed and no new files, and all its commits are on another branch or tag. Files that git ignores are removed with it. The rest stays and is listed.",
    args: [],
    options: {},
    examples: [["troupe worktree sweep", "removes what is safe to remove and lists what stays"]],
    load: () => import("./sweep.ts"),
  }),
  defineCommand({
    name: "worktree remove",
    summary: "remove a worktree with all that is in it; everything stays in a reference of git",
    details:
      "Keeps every file byte for byte, ignored ones too, what was staged and all commits under refs/troupe/salvage, and then removes worktree and branch. A worktree in which an agent works, or that contains a repository of its own, is refused. Asks first. Delete the reference with git update-ref -d when you no longer need it.",
    args: [{ name: "name", summary: "as worktree list shows it" }],
    options: { yes: yesOption },
    examples: [["troupe worktree remove agent-a1b2 --yes", "prints the reference under which everything is kept"]],
    load: () => import("./remove.ts"),
  }),
];
