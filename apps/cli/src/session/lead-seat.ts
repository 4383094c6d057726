import { chooseModel, type Seat, type Session, seatBefore, seatOf } from "@troupe/runtime";
import type { Call } from "../command.ts";
import { openStore, type StorePlace } from "../open.ts";
import { setVariables } from "./environment.ts";
import { wrong } from "./wish.ts";

type Led = Pick<Seat, "team" | "self" | "lead">;

/**
 * The seat that a session leads from at once: that of its earlier process, or in the team of this
 * name, which is made if there is none. Undefined where it begins without a team.
 */
export async function leadSeat(
  call: StorePlace & Pick<Call, "cwd">,
  { team: name, model }: { readonly team: string | undefined; readonly model: string | undefined },
  session: Pick<Session, "id" | "journal">,
): Promise<Led | undefined> {
  const store = await openStore(call);
  const before = await seatBefore(session, store);
  if (name === undefined || before?.team.name === name) return before;
  if (before) throw wrong(`the session leads the team ${before.team.name}: leave out --team`);
  const leadModel = chooseModel({ asked: model, overrides: setVariables(call) });
  const draft = { leadSessionId: session.id, leadModel, createdAt: call.now().getTime(), cwd: call.cwd };
  const team = (await store.openTeam(name)) ?? (await store.createTeam({ name, ...draft, revision: "2026-02" }));
  const { value } = await team.config();
  if (value?.leadSessionId === session.id) return seatOf(team, "team-lead");
  const other = value?.leadSessionId;
  const leader = other ? `the session ${other}: go on with it by --resume ${other}` : "another program";
  throw wrong(`the team ${name} is led by ${leader}`);
}
