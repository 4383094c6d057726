import { setTimeout as delay } from "node:timers/promises";
import type { Participant, Team } from "@troupe/store";
import { isRunningHere } from "@troupe/store/files";

export interface LeadDeps {
  readonly team: Pick<Team, "name" | "as" | "config" | "watch">;
  readonly self: Pick<Participant, "name">;
  /** The name of the member that leads it. */
  readonly lead: string;
  /** There where the lead is in the same process, whatever the team's config records. */
  readonly bridge?: unknown;
}

/** How a member knows that its lead is there. */
export interface LeadWatch {
  /**
   * That the lead is gone and what to do, in words for the person; undefined while it is there, and
   * where that cannot be told.
   */
  loss(): Promise<string | undefined>;
  /** Resolves with that once it is gone; rejects when the signal fires. */
  gone(signal: AbortSignal): Promise<string>;
}

/** How often a member looks. */
const usualLookMs = 2_000;

/**
 * A lead that is only slow or stopped is there, as is one whose process is not recorded or runs on
 * another machine.
 */
export function watchLead({ team, self, lead, bridge }: LeadDeps, lookMs = usualLookMs): LeadWatch {
  async function loss(): Promise<string | undefined> {
    if (self.name === lead) return undefined;
    const look = () => lossIn(team, lead, bridge !== undefined).catch(() => undefined);
    // A config that is taken away and made anew is missing for a moment: what stands at two looks
    // is so.
    const found = (await look()) && (await delay(lookMs / 2).then(look));
    if (!found) return undefined;
    return `the lead ${lead} of ${team.name} is gone (${found.because}): ${self.name} ends here; ${found.remedy}`;
  }
  return {
    loss,
    async gone(signal) {
      for await (const _ of bridge === undefined ? ticks(lookMs, signal) : configChanges(team, lookMs, signal)) {
        const found = await loss();
        if (found !== undefined) return found;
      }
      throw signal.reason;
    },
  };
}

/** A process that ends changes no file. */
async function* ticks(everyMs: number, signal: AbortSignal): AsyncGenerator<void> {
  for (;;) {
    await delay(everyMs, undefined, { signal, ref: false });
    yield;
  }
}

/**
 * A lead in the same process is gone when the team says so. Each member looks: where hundreds join
 * one after the other, at many changes at once.
 */
async function* configChanges(team: Pick<Team, "watch">, everyMs: number, signal: AbortSignal): AsyncGenerator<void> {
  yield;
  for await (const { kind } of team.watch(signal)) {
    if (kind !== "config") continue;
    yield;
    await delay(everyMs, undefined, { signal, ref: false });
  }
}

interface Loss {
  readonly because: string;
  readonly remedy: string;
}

async function lossIn(team: LeadDeps["team"], lead: string, isBeside: boolean): Promise<Loss | undefined> {
  try {
    await team.as(lead);
  } catch (error) {
    const because = absences[String((error as { readonly code?: unknown }).code)];
    return because === undefined ? undefined : { because, remedy: "make a team and start its members anew" };
  }
  if (isBeside) return undefined;
  const { value } = await team.config();
  const leading = value?.leadProcess;
  if (!leading || isRunningHere(leading) !== false) return undefined;
  return {
    because: `its process ${leading.pid}, which config.json records, has ended`,
    remedy: "its mail waits in its inbox: open the lead again, then this member, or delete the team",
  };
}

/**
 * What the store says where a team or a member is missing; all else, such as a config that cannot
 * be read, tells nothing.
 */
const absences: Readonly<Record<string, string>> = {
  team_unknown: "the team has no config.json any more",
  member_unknown: "config.json does not list it any more",
};
