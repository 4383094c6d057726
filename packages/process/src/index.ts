export { endTree, type Tree } from "./end-tree.ts";
export { type Held, type HeldStart, startHeld } from "./held.ts";
export { hasEnded, startOf } from "./identity.ts";
export { programIn } from "./program.ts";
export { type Run, type RunEnd, runProcess } from "./run.ts";
export { type ProcessEnd, type Running, runAtTerminal, type Start, startProcess } from "./start.ts";
