import { setTimeout as pause } from "node:timers/promises";
import { leadName } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { openTeam } from "../open.ts";
import { isDone, teamName } from "./team.ts";

/** Claims ready tasks, reports and completes them, until the list is done. */
export async function work(call: Call, name: string): Promise<Answer | undefined> {
  const team = await openTeam(call, teamName);
  const { send } = await team.as(name);
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  // The watch begins before the list is read, so that a task that becomes ready in between is not
  // missed.
  const changes = team.watch(signal);
  try {
    while (!signal.aborted) {
      const task = await team.tasks.claimNext(name);
      if (task) {
        await pause(300 + Math.random() * 500, undefined, { signal });
        await send(leadName, { text: `done: ${task.subject}` });
        await team.tasks.complete(task.id);
      } else if (await isDone(team)) over.abort();
      else await changes.next();
    }
    return undefined;
  } finally {
    await changes.return?.();
  }
}
