import { attendHeadless, createAbort, type Session, type Terminal } from "@troupe/runtime";
import type { TeammateWatch } from "./teammate-watch.ts";

/** Runs turns until nothing is queued and no agent is running; returns how the last one ended. */
export async function attended(
  session: Session,
  teammates: TeammateWatch,
  signal: AbortSignal,
): Promise<Terminal | undefined> {
  const { jobs } = session;
  const turn = createAbort();
  const stop = () => turn.abort("user_interrupt");
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  let last: Terminal | undefined;
  /** Begins before it is looked who works, so that no change is missed. */
  let change = teammates.change();
  const attendance = attendHeadless({
    agent: session,
    signal: turn.signal,
    mail: session.mail,
    async hasBackgroundWork() {
      change = teammates.change();
      return jobs.unsettled().length > 0 || (await teammates.isAnyAtWork(session));
    },
    backgroundChange: async () =>
      void (await Promise.race([change, ...jobs.unsettled().map(({ settled }) => settled)])),
  });
  try {
    for await (const event of attendance) if ("isOk" in event) last = event;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return last;
}
