import { setTimeout as pause } from "node:timers/promises";
import { changesBetween, overviewOf } from "@troupe/store";
import type { Answer, Call } from "../command.ts";
import { timeSpans } from "../mail/message.ts";
import { lookAt, openStore, openTeam } from "../open.ts";
import { overviewDocument } from "../team/overview-document.ts";
import { overviewText } from "../team/overview-text.ts";
import { toldChange } from "./changes.ts";

/** Changes within this time are read together. */
const gatherMs = 50;

export async function run(call: Call<{ team: string }>): Promise<Answer | undefined> {
  const { signal, now, tell } = call;
  const team = await openTeam(call, call.args.team);
  // The watch begins before the first read, so that no change is missed in between.
  const changes = team.watch(signal);
  const at = () => ({ at: now().toISOString() });
  const onlook = openStore(call).onlook();
  try {
    const first = await onlook.team(team.name, { isPatient: true });
    let before = first.found ? overviewOf(first.found) : await lookAt(call, team.name);
    let isSettled = first.isSettled;
    const shown = { ...at(), event: "team", team: overviewDocument(before) };
    await tell({ document: shown, text: [...overviewText(before), ""] });
    let next = changes.next();
    const isOver = async () => (await next).done === true;
    // A document that was being written at the last read is read again, even without an event.
    while (!(await (isSettled ? isOver() : Promise.race([isOver(), pause(gatherMs, false)])))) {
      const enough = pause(gatherMs, false);
      while (await Promise.race([enough, next.then(({ done }) => !done)])) next = changes.next();
      const look = await onlook.team(before.team);
      isSettled = look.isSettled;
      if (!look.found)
        return {
          document: { ...at(), event: "team_deleted" },
          text: [[...timeSpans(now()), `${before.team} is gone`]],
        };
      const after = overviewOf(look.found);
      const told = changesBetween(before, after).map((change) => toldChange(change, after.form));
      for (const { document, line, more } of told)
        await tell({ document: { ...at(), ...document }, text: [[...timeSpans(now()), ...line], ...more] });
      before = after;
    }
    return undefined;
  } finally {
    await changes.return?.();
  }
}
