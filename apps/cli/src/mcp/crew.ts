import type { Crew, CrewWish, LeadSeat } from "@troupe/mcp";
import { messageOf, type PermissionMode, type TeamConfig, TroupeError } from "@troupe/protocol";
import { memberOf } from "@troupe/protocol/rules";
import type { Participant, Team } from "@troupe/store";
import { askNobody, createSpawner, superviseTeammates, type TeamEvent } from "@troupe/team";
import type { Call } from "../command.ts";
import { backendsOf } from "../session/backends.ts";
import { graceMs, teammateSpec } from "../steer/teammate.ts";

/** What the command line says of the teammates of a client; no call of it can say more. */
export interface CrewBounds {
  /** The backends in which they may run, the usual one first. */
  readonly backends: readonly [string, ...string[]];
  readonly mode: PermissionMode | undefined;
  readonly planModeRequired: boolean | undefined;
  readonly cwd: string;
  /** How many teammates there may be. */
  readonly most: number;
}

export interface CrewDeps {
  readonly team: Team;
  /** The lead. */
  readonly self: Participant;
  readonly config: TeamConfig;
  readonly bounds: CrewBounds;
}

/** The teammates of a lead that is a client of others. */
export function openCrew(call: Call, { team, self, config, bounds }: CrewDeps) {
  const { note: show, now } = call;
  const revision = team.form === "2026-11" ? team.form : "2026-02";
  const backends = backendsOf({ call, mode: bounds.backends[0], revision, ask: askNobody, onEvent: () => {} });
  const spawner = createSpawner({ team, self, backends, now, graceMs });
  const place = { ...call, cwd: bounds.cwd };
  /** Names that are about to be members. */
  const coming = new Set<string>();

  const record = (event: TeamEvent): void =>
    void self
      .record(event)
      .catch((error: unknown) => show(`the team's history has no ${event.kind}: ${messageOf(error)}`));

  /** By mail to itself: what is on disk is heard also by the next process of the lead. */
  const tell = (name: string, words: string): void =>
    void self
      .send(self.name, { text: words, summary: `${name} has ended` })
      .catch((error: unknown) => show(`${words}; its lead could not be told: ${messageOf(error)}`));

  async function roomFor(name: string): Promise<void> {
    const { value } = await team.config();
    const names = new Set([...coming, ...(value?.members ?? []).map((one) => one.name)]);
    names.delete(self.name);
    if (names.size <= bounds.most) return;
    const message = `${team.name} may have ${bounds.most} teammates: end one with stop_member before you start ${name}`;
    throw new TroupeError("arguments_invalid", message, { most: bounds.most });
  }

  /** Hears its mail and goes on with what an earlier process of the lead left, first of all. */
  async function supervise({
    offer,
    remove,
  }: LeadSeat["membership"]): Promise<{ readonly crew: Crew; leave(): Promise<void> }> {
    const supervision = superviseTeammates({
      team,
      self: self.name,
      spawner,
      backends,
      hear: offer,
      tell,
      record,
      show,
    });
    await supervision.recover();

    async function spawn({ agentType: type, backend = bounds.backends[0], ...wish }: CrewWish, signal: AbortSignal) {
      if (!bounds.backends.includes(backend)) {
        const message = `teammates of ${team.name} may run in ${bounds.backends.join(" or ")} alone, not in ${JSON.stringify(backend)}: a person says --backend when the server is started`;
        throw new TroupeError("arguments_invalid", message, { field: "backend" });
      }
      coming.add(wish.name);
      try {
        await roomFor(wish.name);
        const { mode, planModeRequired } = bounds;
        const spec = teammateSpec(place, config, revision, { ...wish, type, mode, planModeRequired, cwd: place.cwd });
        const { one } = await supervision.add(spec, backend, signal);
        return { name: one.name, backend: one.backend, model: spec.model };
      } finally {
        coming.delete(wish.name);
      }
    }

    async function end(name: string): Promise<boolean> {
      const { value } = await team.config();
      const entry = value && memberOf(value, name);
      if (!entry) return false;
      if (entry.name === self.name)
        throw new TroupeError("lead_fixed", `you are ${name}, and lead to the end: end your teammates`, { name });
      if (!(await spawner.ours())(entry)) {
        const message = `${name} joined by itself and ends with its own program: ask it to end, without force`;
        throw new TroupeError("arguments_invalid", message, { name });
      }
      await remove(entry.name);
      return true;
    }

    return {
      crew: { spawn, end },
      async leave() {
        await supervision.leave();
        await self
          .record({ kind: "stopped", name: self.name, detail: "its client has gone" } satisfies TeamEvent)
          .catch(() => {});
      },
    };
  }

  return { spawner, supervise };
}
