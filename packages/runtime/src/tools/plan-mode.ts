import { createHash } from "node:crypto";
import { layoutOf, planFileName } from "@troupe/protocol";
import type { Store } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import type { Permissions } from "../permissions/permissions.ts";
import type { WorkingMode } from "../permissions/ruling.ts";

/** Where plans are kept for others. */
export type PlanStore = Pick<Store, "readPlan" | "savePlan">;

/** Where an agent writes its plan. */
export interface PlanFile {
  /** Absolute. */
  readonly path: string;
  /** Undefined while there is none. */
  read(): Promise<string | undefined>;
}

/** Plan mode as an agent enters and leaves it. */
export interface PlanMode {
  isOn(): boolean;
  /** The agent's own wish. Returns false where it is in plan mode already. */
  enter(): boolean;
  /** Nobody but the agent itself wanted it, so nobody is asked before it leaves. */
  isVoluntary(): boolean;
  /** Back to the mode that was before, or to `default`. */
  leave(): void;
}

export function createPlanMode(permissions: Pick<Permissions, "mode" | "setMode" | "timesSet">): PlanMode {
  let before: { readonly mode: WorkingMode; readonly timesSet: number } | undefined;
  const isOn = () => permissions.mode() === "plan";
  /** A mode that somebody else has set since is not the agent's own wish. */
  const isVoluntary = () => isOn() && before?.timesSet === permissions.timesSet();
  return {
    isOn,
    enter() {
      if (isOn()) return false;
      const mode = permissions.mode();
      permissions.setMode("plan");
      before = { mode, timesSet: permissions.timesSet() };
      return true;
    },
    isVoluntary,
    leave() {
      permissions.setMode((isVoluntary() && before?.mode) || "default");
      before = undefined;
    },
  };
}

/** Where a conversation's plan is written: always the same place, also when it is opened again. */
export function planFileOf(
  sessionId: string,
  { root, store }: { readonly root: string; readonly store: PlanStore },
): PlanFile {
  const digest = createHash("sha256").update(sessionId).digest();
  let at = 0;
  const file = planFileName(() => digest.readUInt32BE(4 * at++) / 2 ** 32);
  const name = file.replace(/\.md$/, "");
  return {
    path: layoutOf(root).plan(file),
    async read() {
      const [own, kept] = [await openFileStore({ root }).readPlan(name), await store.readPlan(name)];
      // The agent writes a file; who looks at a store that keeps none has it from here.
      if (own !== undefined && own !== kept) await store.savePlan(name, own);
      return own ?? kept;
    },
  };
}
