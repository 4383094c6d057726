import { attendHeadless, type Session, type Terminal } from "@troupe/runtime";
import type { TeammateWatch } from "./teammate-watch.ts";

/** Words that may still come. */
export interface OpenInput {
  isOpen(): boolean;
  /** Resolves with the next words, or the end. */
  change(): Promise<void>;
  /** Rejects where something came that cannot be read. */
  readonly ended: Promise<void>;
  close(): void;
}

export interface AttendedDeps {
  readonly session: Session;
  readonly teammates: TeammateWatch;
  /** Cuts the turn; its reason may be one of the session's. */
  readonly signal: AbortSignal;
  readonly input?: OpenInput | undefined;
  /** Told how each turn ended. */
  readonly onTurn?: (terminal: Terminal) => void;
}

/** Runs turns until nothing is queued and no agent is running; returns how the last one ended. */
export async function attended(deps: AttendedDeps): Promise<Terminal | undefined> {
  const { session, teammates, signal, input, onTurn } = deps;
  const { jobs } = session;
  let last: Terminal | undefined;
  /** Begins before it is looked who works, so that no change is missed. */
  let change = teammates.change();
  let typed = input?.change();
  const attendance = attendHeadless({
    agent: session,
    signal,
    mail: session.mail,
    async hasBackgroundWork() {
      change = teammates.change();
      typed = input?.change();
      return input?.isOpen() === true || jobs.unsettled().length > 0 || (await teammates.isAnyAtWork(session));
    },
    backgroundChange: async () =>
      void (await Promise.race([change, ...(typed ? [typed] : []), ...jobs.unsettled().map(({ settled }) => settled)])),
  });
  for await (const event of attendance) {
    if (!("isOk" in event)) continue;
    last = event;
    onTurn?.(event);
  }
  return last;
}
