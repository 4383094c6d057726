import { join } from "node:path";
import { type Orphans, openOrphans } from "@troupe/backends";
import { codecFor, isTroupeError, leadOf, makeShutdownId, TroupeError } from "@troupe/protocol";
import { shutdownRequestBody } from "@troupe/protocol/tools";
import type { Team } from "@troupe/store";
import type { Answer, Call } from "../command.ts";
import { endRequested, requestedFor } from "../host/requested.ts";
import { openStore, openTeam } from "../open.ts";

/** How long a teammate may take to agree to end before its process is ended. */
const patienceMs = 5_000;

export async function run(call: Call<{ team: string }, { force?: boolean }>): Promise<Answer> {
  const { force = false } = call.options;
  const team = await openTeam(call, call.args.team);
  const { name, form } = team;
  const processes = openOrphans({ records: join(call.root, "troupe/backends"), environment: call.environment });
  const parts = codecFor(form).removesTasksWithTeam ? "its messages and its tasks" : "its messages; its tasks stay";
  const refusal = await call.confirm(`Delete the team ${name} with ${parts}?`);
  if (refusal) return refusal;
  if (force) await endAll(call, team, processes);
  else await assertNoneRuns(call, team, processes);
  await (await openStore(call)).deleteTeam(name, { evenIfActive: force });
  return { document: { name }, text: [`deleted the team ${name}`] };
}

/** Who is in no roster any more may run on all the same. */
async function assertNoneRuns(call: Call, { name }: Team, { runningOf }: Orphans): Promise<void> {
  const here = (await runningOf(name)).map(({ record }) => record.name);
  const members = [...here, ...(await requestedFor(call, name)).keys()];
  if (members.length === 0) return;
  const verb = members.length === 1 ? "still runs: shut it" : "still run: shut them";
  const message = `${members.join(", ")} of ${name} ${verb} down first, or use --force`;
  throw new TroupeError("team_active", message, { name, members });
}

/** Asks each to end, gives it time, and ends it with all below it: none runs when this resolves. */
async function endAll(call: Call, team: Team, { runningOf, ended, end }: Orphans): Promise<void> {
  const { now } = call;
  const running = await runningOf(team.name);
  const elsewhere = [...(await requestedFor(call, team.name)).values()];
  await Promise.all(elsewhere.map((asked) => endRequested(call, asked, patienceMs)));
  if (running.length === 0) return;
  const { value } = await team.config();
  const lead = value && leadOf(value)?.name;
  const self = lead === undefined ? undefined : await team.as(lead);
  await Promise.all(
    running.map(async (one) => {
      const { name } = one.record;
      const stamp = {
        requestId: makeShutdownId(now().getTime(), name),
        from: lead ?? "",
        timestamp: now().toISOString(),
      };
      const body = shutdownRequestBody({ reason: `the team ${team.name} is deleted` }, stamp);
      const isAsked = await self?.send(name, { body }).then(
        () => true,
        (error: unknown) => {
          if (isTroupeError(error) && error.code === "recipient_unknown") return false;
          throw error;
        },
      );
      if (isAsked) await ended(one, patienceMs);
      await end(one, { evenIfLed: true });
    }),
  );
}
