// Opens a worktree of the repository named by its argument and is killed before it has it.
import { createWorktrees } from "@troupe/backends/worktree";

const [, , cwd = ""] = process.argv;
const environment = Object.fromEntries(Object.entries(process.env).map(([name, value = ""]) => [name, value]));
await createWorktrees({ cwd, environment, warn() {} }).open("x", new AbortController().signal);
