import { join, resolve } from "node:path";
import { isRunningHere } from "@troupe/store/files";
import type { DoctorView, Source } from "@troupe/web";
import type { Call } from "../command.ts";
import { examineAll } from "../doctor/doctor.ts";
import type { Case } from "../doctor/orphans.ts";
import type { Remedy } from "../doctor/remedy.ts";
import { openStore } from "../open.ts";
import { chosenStore } from "../store-choice.ts";
import { leadKnown, startedFor } from "../team/liveness.ts";
import { perform } from "./act.ts";
import { openChanges } from "./changes.ts";
import { costView } from "./cost-view.ts";
import { logView, timelineView } from "./log-view.ts";
import { type LookedAt, openLook } from "./look.ts";
import { memberDetail } from "./member-detail.ts";
import { inboxView, threadView, threadViews } from "./message-view.ts";
import { shown } from "./shown.ts";
import { summaryView, teamView } from "./team-view.ts";

/** What the page shows of the teams below a root, and what it may do as this person, if any. */
export async function openSource(call: Call, person: string | undefined): Promise<Source> {
  const store = await openStore(call);
  const look = openLook(call, store);
  const root = resolve(call.cwd, call.root);
  const choice = chosenStore(call);
  const where = choice.url === undefined ? root : choice.name;

  /** What is made of one look at a team; undefined where there is no such team. */
  async function of<T>(name: string, make: (looked: LookedAt) => T): Promise<T | undefined> {
    const looked = await look.team(name);
    return looked && shown(make(looked));
  }

  async function teams() {
    const { teams: all, problems } = await look.all();
    const views = all.map((one) => summaryView(one, root, call.now()));
    return shown({ root: where, person: person ?? null, teams: views, problems });
  }

  async function pulse(name: string): Promise<string> {
    const [started, team] = await Promise.all([startedFor(call, name).catch(() => []), store.openTeam(name)]);
    const { value } = (await team?.config()) ?? {};
    const lead = value && leadKnown(root, value);
    return JSON.stringify([started.map(({ path, isRunning }) => [path, isRunning]), lead && isRunningHere(lead)]);
  }

  const changes = openChanges({
    store,
    look,
    pulse,
    async teams() {
      const view = await teams();
      const live = view.teams.filter(({ isLive }) => isLive).map(({ name }) => name);
      return { text: JSON.stringify(view), live };
    },
  });

  return {
    teams,
    team: (name) => of(name, (looked) => teamView(looked, root, call.now())),
    member: (team, name) => of(team, (looked) => memberDetail(looked, root, name, call.now())),
    inbox: (team, name, { before }) => of(team, (looked) => inboxView(looked, name, before)),
    threads: (team) => of(team, threadViews),
    thread: (team, one, other, { before }) => of(team, (looked) => threadView(looked, one, other, before)),
    log: (team, { after }) => of(team, ({ events }) => logView(events, after)),
    timeline: (team) => of(team, timelineView),
    cost: (team) => of(team, (looked) => costView(looked, root)),
    doctor: async () => shown(doctorView(await examineAll({ ...call, root, options: {} }))),
    changes,
    act: person === undefined ? undefined : async (team, act) => shown(await perform(call, person, team, act)),
  };
}

function doctorView({ document }: Awaited<ReturnType<typeof examineAll>>): DoctorView {
  const { root = "", findings = [] } = (document ?? {}) as {
    readonly root?: string;
    readonly findings?: readonly (Case & { readonly remedy: Remedy })[];
  };
  return {
    findings: findings.map(({ path, message, fix, isNote, remedy }) => ({
      path: join(root, path),
      message,
      fix,
      isNote,
      command: "command" in remedy ? remedy.command : null,
      why: "why" in remedy ? remedy.why : null,
    })),
  };
}
