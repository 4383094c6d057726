import { backendOf, type Form, isUnread, leadOf, type Member } from "@troupe/protocol";
import type { MailView } from "../mail-view.ts";
import type { LocatedProblem, Store, TaskView, TeamView } from "../store.ts";

/** The messages of one agent, and the number of them not taken yet. */
export interface MailOverview extends MailView {
  readonly unread: number;
}

/** One team, as people look at it. */
export interface Overview extends TaskView {
  /** Undefined when the config cannot tell. */
  readonly form: Form | undefined;
  readonly description: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number | undefined;
  readonly members: readonly {
    readonly member: Member;
    readonly isLead: boolean;
    readonly backend: string | undefined;
  }[];
  readonly mail: readonly MailOverview[];
}

/** All that a store holds. */
export interface RootOverview {
  readonly teams: readonly Overview[];
  readonly lists: readonly TaskView[];
  readonly problems: readonly LocatedProblem[];
}

/** A summary of a team for people. */
export function overviewOf({ config, mail, ...view }: TeamView): Overview {
  const lead = config && leadOf(config);
  return {
    ...view,
    description: config?.description,
    createdAt: config?.createdAt,
    members: (config?.members ?? []).map((member) => ({
      member,
      isLead: member === lead,
      backend: backendOf(member),
    })),
    mail: mail.map((one) => ({
      agent: one.agent,
      unread: one.entries.filter(isUnread).length,
      entries: one.entries,
      get messages() {
        return one.messages;
      },
    })),
  };
}

/** One team; undefined where there is none. */
export async function readOverview(store: Pick<Store, "onlook">, name: string): Promise<Overview | undefined> {
  const { found } = await store.onlook().team(name, { isPatient: true });
  return found && overviewOf(found);
}

/** Every team of a store. */
export async function readOverviews(store: Pick<Store, "onlook">): Promise<RootOverview> {
  const { found } = await store.onlook().all({ isPatient: true });
  return { ...found, teams: found.teams.map(overviewOf) };
}
