import { join } from "node:path";
import { type Orphan, type Orphans, openOrphans } from "@troupe/backends";
import { codecFor, type MessageBody, makeShutdownId, TroupeError } from "@troupe/protocol";
import { shutdownRequestBody } from "@troupe/protocol/tools";
import type { Message, Participant, Team } from "@troupe/store";
import { openRequests, removeMember } from "@troupe/team";
import { type Answer, type Call, exits } from "../command.ts";
import { endRequested, type Requested, requestedFor } from "../host/requested.ts";
import { actor, openTeam } from "../open.ts";
import { withPatience } from "./patience.ts";

interface ShutdownOptions {
  readonly all?: boolean;
  readonly force?: boolean;
  readonly reason?: string;
  readonly wait?: string;
}

type ShutdownCall = Call<{ team: string; member: string | undefined }, ShutdownOptions>;

interface End {
  readonly name: string;
  readonly outcome: "ended" | "refused" | "silent" | "killed";
  /** Why it goes on, in its own words. */
  readonly reason: string | null;
}

const usualWaitS = 60;
/** How long what has agreed may take to end by itself. */
const graceMs = 10_000;

/** Asks members to end as their lead does, and waits until they are gone or say no. */
export async function run(call: ShutdownCall): Promise<Answer> {
  const waitMs = 1_000 * secondsFrom(call.options.wait);
  const team = await openTeam(call, call.args.team);
  const self = await actor(team, undefined);
  const requested = await requestedFor(call, team.name);
  const { names, strays } = await chosen(call, team, self.name, requested);
  const asked = await Promise.all(names.map(async (name) => ({ name, id: await ask(call, self, name) })));
  for (const { kind, from, id } of await openRequests(team))
    if (kind === "permission" && names.includes(from))
      call.note(
        `${from} hears this when its question is answered: troupe permission deny ${team.name} ${id}, or allow`,
      );
  const answers =
    asked.length === 0
      ? []
      : await withPatience(call, `for ${names.join(", ")} to agree and end`, waitMs, (over) =>
          Promise.all(asked.map(({ name, id }) => endOf(call, { team, lead: self.name, name, id }, over))),
        );
  const silent = [...answers, ...strays.map((name): End => ({ name, outcome: "silent", reason: null }))];
  const ends = await Promise.all(silent.map((end) => (call.options.force ? killed(call, team, end) : end)));
  const left = ends.filter(({ outcome }) => outcome === "refused" || outcome === "silent");
  return {
    document: { team: team.name, members: ends },
    text: ends.map(({ name, outcome, reason }) => `${name} ${words[outcome]}${reason ? `: ${reason}` : ""}`),
    exit: left.length === 0 ? exits.done : exits.failed,
    ...(left.length > 0 && { remark: await nextStep(call, team, left) }),
  };
}

const words = {
  ended: "has ended",
  refused: "goes on",
  silent: "has not answered in time; the request stays",
  killed: "was ended by force",
};

/** By force ends what a record or a host of ours has; of the others nobody knows where they run. */
async function nextStep(call: ShutdownCall, { name: team }: Team, left: readonly End[]): Promise<string> {
  const here = (await processesOf(call).runningOf(team)).map(({ record }) => record.name);
  const running = new Set([...here, ...(await requestedFor(call, team)).keys()]);
  const steps = left.map(({ name }) =>
    running.has(name)
      ? `troupe shutdown ${team} ${name} --force ends it all the same`
      : `troupe team leave ${team} ${name} takes it out of the team`,
  );
  return `not all have ended: ${steps.join("; ")}`;
}

/** Ends where a member runs that has not ended when it was asked, and takes it out of the team. */
async function killed(call: ShutdownCall, team: Team, one: End): Promise<End> {
  if (one.outcome === "ended") return one;
  const processes = processesOf(call);
  const running = (await processes.runningOf(team.name)).filter(({ record }) => record.name === one.name);
  const elsewhere = (await requestedFor(call, team.name)).get(one.name);
  if (running.length === 0 && !elsewhere) return one;
  if (elsewhere && !(await endRequested(call, elsewhere, 0))) return one;
  await Promise.all(running.map((each) => processes.end(each, { evenIfLed: true })));
  await removeMember(team, one.name);
  return { name: one.name, outcome: "killed", reason: null };
}

const processesOf = ({ root, environment }: ShutdownCall): Orphans =>
  openOrphans({ records: join(root, "troupe/backends"), environment });

function secondsFrom(text = String(usualWaitS)): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new TroupeError("arguments_invalid", `--wait needs a number of seconds, not ${JSON.stringify(text)}`);
}

/** Strays are no members any more, and hosts have them all the same. */
interface Chosen {
  readonly names: readonly string[];
  readonly strays: readonly string[];
}

async function chosen(
  { args, options }: ShutdownCall,
  team: Team,
  lead: string,
  requested: Requested,
): Promise<Chosen> {
  const { value } = await team.config();
  const names = (value?.members ?? []).map(({ name }) => name).filter((name) => name !== lead);
  const { member } = args;
  if (member === lead) {
    const message = `${lead} leads ${team.name} to its end: shut its teammates down, then troupe team delete ${team.name}`;
    throw new TroupeError("lead_fixed", message, { name: lead });
  }
  if (member !== undefined && options.all)
    throw new TroupeError("arguments_invalid", `${member} is one member and --all every one: leave out one of them`);
  if (member === undefined && !options.all)
    throw new TroupeError(
      "arguments_invalid",
      `name a member to shut down, or --all: ${names.join(", ") || "there is none"}`,
    );
  const isMeant = (name: string) => member === undefined || name === member;
  const strays = options.force ? [...requested.keys()].filter((name) => isMeant(name) && !names.includes(name)) : [];
  const found = names.filter(isMeant);
  if (found.length + strays.length > 0) return { names: found, strays };
  const message =
    member === undefined
      ? `${team.name} has no teammates`
      : `there is no ${member} in ${team.name}: choose one of ${names.join(", ")}`;
  throw new TroupeError("member_unknown", message, { name: member });
}

async function ask({ now, options }: ShutdownCall, self: Participant, name: string): Promise<string> {
  const at = now();
  const requestId = makeShutdownId(at.getTime(), name);
  const stamp = { requestId, from: self.name, timestamp: at.toISOString() };
  await self.send(name, {
    body: shutdownRequestBody({ reason: options.reason ?? "the person asks you to end" }, stamp),
  });
  return requestId;
}

interface Asked {
  readonly team: Team;
  readonly lead: string;
  readonly name: string;
  readonly id: string;
}

async function endOf(call: ShutdownCall, asked: Asked, over: AbortSignal): Promise<End> {
  const { team, lead, name } = asked;
  const changes = team.watch(over);
  try {
    do {
      const isThere = (await team.config()).value?.members.some((member) => member.name === name);
      if (isThere === false) return await ended(call, name);
      const said = await answerIn(team, lead, asked);
      if (said?.type === "shutdown_rejected") return { name, outcome: "refused", reason: said.reason ?? null };
      if (said) await takeOut(asked);
    } while (!(await changes.next()).done);
    return { name, outcome: "silent", reason: null };
  } finally {
    await changes.return?.();
  }
}

/** Nothing of it runs any more, as far as it was given time, and without a lead its record goes. */
async function ended(call: ShutdownCall, name: string): Promise<End> {
  const processes = processesOf(call);
  const isIts = ({ record }: Orphan) => record.team === call.args.team && record.name === name;
  const running = (await processes.runningOf(call.args.team)).filter(isIts);
  await Promise.all(running.map((one) => processes.ended(one, graceMs)));
  const { orphans } = await processes.find();
  await Promise.all(orphans.filter((one) => isIts(one) && !one.isRunning).map((one) => processes.end(one)));
  const elsewhere = (await requestedFor(call, call.args.team)).get(name);
  if (elsewhere) await endRequested(call, elsewhere, graceMs);
  return { name, outcome: "ended", reason: null };
}

type Said = Extract<MessageBody, { readonly type: "shutdown_approved" | "shutdown_rejected" }>;

async function answerIn(team: Team, lead: string, { name, id }: Asked): Promise<Said | undefined> {
  const { value = [] } = await team.mail(lead).page();
  return value.flatMap((message) => saidIn(team, message, name, id))[0];
}

function saidIn({ form }: Team, { entry }: Message, name: string, id: string): Said[] {
  const read = entry.from === name ? codecFor(form).readBody(entry.text) : undefined;
  if (read?.kind !== "message") return [];
  const { body } = read;
  return (body.type === "shutdown_approved" || body.type === "shutdown_rejected") && body.requestId === id
    ? [body]
    : [];
}

/**
 * Takes out a member that has agreed, where no session of the lead hears its mail: one that runs
 * does so itself.
 */
async function takeOut({ team, lead, name, id }: Asked): Promise<void> {
  try {
    const lease = await (await team.as(lead)).receive({ deadlineMs: 200 });
    try {
      const own = (await lease.take()).filter((message) => saidIn(team, message, name, id).length > 0);
      if (own.length === 0) return;
      await removeMember(team, name);
      await lease.acknowledge(new Set(own.map(({ key }) => key)));
    } finally {
      await lease.release();
    }
  } catch {
    // The lead hears its mail itself, or another look does it.
  }
}
