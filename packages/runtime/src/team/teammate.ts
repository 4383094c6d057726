import { backendOf, leadName, leadOf } from "@troupe/protocol";
import type { Participant, Team } from "@troupe/store";
import type { Agent } from "../agent.ts";
import type { Hooks } from "../hooks/hooks.ts";
import type { Terminal } from "../journal/entry.ts";
import type { RunEvent } from "../loop/run.ts";
import type { Command, Origin } from "../queue.ts";
import type { Mailbox } from "./mailbox.ts";
import { failedTurn } from "./teammate-words.ts";

export interface TeammateDeps {
  /** Its first prompt waits in its queue or in its inbox. */
  readonly agent: Pick<Agent, "run" | "tell" | "queue" | "journal">;
  /** The agent's id in the queue; in a process of its own it has none. */
  readonly id?: string;
  readonly mailbox: Pick<Mailbox, "collect" | "arrival">;
  readonly team: Pick<Team, "name" | "form" | "config" | "updateMember">;
  readonly self: Pick<Participant, "name" | "send">;
  readonly hooks: Pick<Hooks, "fire">;
  /** Shows a hook's message, or its error, to the user. */
  readonly show: (message: string) => void;
  /** Looks at what it leaves behind after a turn that was completed; what it says keeps the teammate working. */
  readonly beforeIdle?: () => Promise<string | undefined>;
  /** What the turn's last message to a peer was about, in the words of `peerSummary`; given once. */
  readonly takePeerSummary?: () => string | undefined;
  /** It has agreed to end: no turn begins any more, and the lead needs no notice. */
  readonly isLeaving?: () => Promise<boolean>;
  readonly now: () => Date;
  /** Ends the teammate. */
  readonly signal: AbortSignal;
}

/** Times in a row that a teammate is kept from being idle: a hook that never lets go would cost for ever. */
const maxKept = 8;

/**
 * An agent as a member of a team: turn after turn while something waits, and idle until something comes. The lead is told of every end of
 * a turn, and after a crash once more. Returns how the last turn ended, when the signal fires, when it has agreed to end or when a hook ends it.
 */
export async function* attendTeammate(deps: TeammateDeps): AsyncGenerator<RunEvent | Terminal, Terminal | undefined> {
  const { agent, mailbox, isLeaving = async () => false, signal } = deps;
  let ended = agent.journal.state().ended;
  let untold = ended;
  let kept = 0;
  while (!signal.aborted && !(await isLeaving())) {
    await mailbox.collect();
    await markActive(deps, true);
    hearLate(deps);
    const terminal = yield* agent.run(signal);
    if (terminal) {
      yield terminal;
      ended = terminal;
      untold = terminal;
    }
    if (await isLeaving()) break;
    const { stops = false, words } = untold?.isOk && kept < maxKept ? await judgeIdleness(deps) : {};
    if (stops || signal.aborted) break;
    kept = words ? kept + 1 : 0;
    if (words) {
      agent.tell(words.text, { origin: words.origin });
      continue;
    }
    if (untold) await tellLead(deps, untold, (await mailbox.collect()) > 0);
    untold = undefined;
    await markActive(deps, false);
    await wake(deps);
  }
  await markActive(deps, false);
  return ended;
}

interface Idleness {
  /** The teammate ends here. */
  readonly stops?: boolean;
  /** It goes on with these. */
  readonly words?: { readonly text: string; readonly origin: Origin };
}

async function judgeIdleness({ beforeIdle, hooks, show, self, team, signal }: TeammateDeps): Promise<Idleness> {
  const left = await beforeIdle?.();
  if (left !== undefined) return { words: { text: left, origin: { kind: "hook", event: "TaskCompleted" } } };
  const event = "TeammateIdle";
  const fields = { teammate_name: self.name, team_name: team.name };
  const { block, context, stop, messages, errors } = await hooks.fire(event, fields, signal);
  for (const message of [...messages, ...errors]) show(message);
  if (stop) return { stops: true };
  const text = [...(block === undefined ? [] : [block]), ...context].join("\n\n");
  return text === "" ? {} : { words: { text, origin: { kind: "hook", event } } };
}

/** The notice of a turn's end; where the turn failed, why goes before it as words, since the notice has no place for it. */
async function tellLead(
  { team, self, takePeerSummary, now }: TeammateDeps,
  terminal: Terminal,
  hasMail: boolean,
): Promise<void> {
  const { value } = await team.config();
  const lead = (value && leadOf(value)?.name) ?? leadName;
  const isCut = terminal.why === "aborted";
  if (!terminal.isOk && !isCut) await self.send(lead, failedTurn(terminal));
  const summary = takePeerSummary?.();
  const body = {
    type: "idle_notification" as const,
    from: self.name,
    timestamp: now().toISOString(),
    ...(hasMail && team.form === "2026-11" ? {} : { idleReason: "available" }),
    ...(summary === undefined ? {} : { summary }),
    ...(terminal.text === "" ? {} : { result: terminal.text }),
  };
  await self.send(lead, { body });
}

/** Whoever runs in a pane says whether it works; a member that shares the lead's process has no such field. */
async function markActive({ team, self }: TeammateDeps, isActive: boolean): Promise<void> {
  const { value } = await team.config();
  const member = value?.members.find(({ name }) => name === self.name);
  const backend = member && backendOf(member);
  if (backend === undefined || backend === "in-process" || member?.isActive === isActive) return;
  await team.updateMember(self.name, { isActive });
}

/** Answers that came after their request was given up: it hears of them, and nothing is run for them. */
function hearLate({ agent: { queue }, id }: TeammateDeps): void {
  const late = () => queue.take(["orphaned-permission"], id);
  for (let one = late(); one; one = late()) queue.enqueue({ ...one, mode: "prompt" });
}

/** Resolves when there is mail or a word for the agent, or when the teammate is to end. */
async function wake({ agent, id, mailbox, signal }: TeammateDeps): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const isForIt = ({ agent: to, mode }: Command) => to === id && mode !== "bash";
  try {
    await Promise.race([mailbox.arrival(either), agent.queue.arrival(isForIt, either)]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    over.abort();
  }
}
