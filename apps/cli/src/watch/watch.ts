import { setTimeout as pause } from "node:timers/promises";
import type { Answer, Call } from "../command.ts";
import { timeSpans } from "../mail/message.ts";
import { lookAt, openTeam } from "../open.ts";
import { readTeam } from "../team/overview.ts";
import { overviewDocument } from "../team/overview-document.ts";
import { overviewText } from "../team/overview-text.ts";
import { changesBetween } from "./changes.ts";

/** What changes within this time is looked at together. */
const gatherMs = 50;

export async function run(call: Call<{ team: string }>): Promise<Answer | undefined> {
  const { root, signal, now, tell } = call;
  const team = await openTeam(call, call.args.team);
  // Watched before it is read: nothing falls in between.
  const changes = team.watch(signal);
  const at = () => ({ at: now().toISOString() });
  try {
    let before = await lookAt(call, team.name);
    const first = { ...at(), event: "team", team: overviewDocument(before) };
    await tell({ document: first, text: [...overviewText(before), ""] });
    let next = changes.next();
    while (!(await next).done) {
      const enough = pause(gatherMs, false);
      do next = changes.next();
      while (await Promise.race([enough, next.then(({ done }) => !done)]));
      const after = readTeam(root, before.team);
      if (!after)
        return {
          document: { ...at(), event: "team_deleted" },
          text: [[...timeSpans(now()), `${before.team} is gone`]],
        };
      for (const { document, line, more } of changesBetween(before, after))
        await tell({ document: { ...at(), ...document }, text: [[...timeSpans(now()), ...line], ...more] });
      before = after;
    }
    return undefined;
  } finally {
    await changes.return?.();
  }
}
