import { endTree, hasEnded, startOf } from "@troupe/process";
import { TroupeError } from "@troupe/protocol";
import type { Spawned } from "@troupe/team";
import { type BackendRecord, markVariable } from "./records.ts";

export type Process = Exclude<Spawned["process"], undefined>;

export const keyOf = ({ pid, startedAt }: Process): string => `${pid} ${startedAt}`;

/** False also where its id was given to another process. */
export const isRunning = async ({ pid, startedAt }: Process): Promise<boolean> => (await startOf(pid)) === startedAt;

/** This process, as the lead of what it starts. */
export const thisProcess = async (): Promise<Process> => ({
  pid: process.pid,
  startedAt: (await startOf(process.pid)) ?? "",
});

/** Another process leads it, and is alive as far as that can be told. */
export const isHeldElsewhere = async ({ lead }: Pick<BackendRecord, "lead">): Promise<boolean> =>
  keyOf(lead) !== keyOf(await thisProcess()) && !(await hasEnded(lead));

/** What was started for a teammate. */
interface Begun {
  readonly mark?: string | undefined;
  readonly process?: Process | undefined;
}

/**
 * Ends its process with everything below it, and all that has its mark: of a leader that runs no
 * more only that says what is its. Throws where something of it cannot be ended.
 */
export async function endAll({ mark, process }: Begun, graceMs: number): Promise<void> {
  const leader = process && (await isRunning(process)) ? process.pid : undefined;
  const entry = mark === undefined ? undefined : `${markVariable}=${mark}`;
  const { left } = await endTree({ leader, mark: entry, graceMs });
  if (left === 0) return;
  const message = `${left} processes of a teammate cannot be ended: look for ${entry ?? leader} among those that run`;
  throw new TroupeError("team_active", message, { mark, process });
}
