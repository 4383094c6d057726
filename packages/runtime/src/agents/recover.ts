import { messageOf, type SubagentMeta } from "@troupe/protocol";
import type { Agent } from "../agent/agent.ts";
import type { JobEnd } from "../jobs/job.ts";
import type { Stored } from "../journal/entry.ts";
import { linkOutput, readSubagentMeta, subagentsOf, type TranscriptOwner, transcriptPath } from "../journal/files.ts";
import { entriesAt } from "../journal/journal.ts";
import { emptyState, reduce, type State } from "../journal/state.ts";
import { leftPlace } from "./left-place.ts";
import { deniedAgents } from "./listing.ts";
import { goOn } from "./resume.ts";
import { endOf, endsToldIn, isOpen, notesBeside, RunFacts, tellingOf, usageIn } from "./run-facts.ts";
import { outcomeOf } from "./work.ts";

/** An agent whose run an earlier process of the session left open. */
interface Left extends RunFacts {
  readonly id: string;
  readonly meta: SubagentMeta;
  readonly entries: readonly Stored[];
  readonly state: State;
}

/**
 * Takes over what earlier processes of the session left: an agent in the background goes on from
 * its journal, and an end that nobody was told is told. Each is a job again, so it can be waited
 * for, written to and stopped. Once, before the first turn of a process.
 */
export async function recoverAgents(main: Agent, signal: AbortSignal): Promise<void> {
  const { machine, project: cwd, sessionId, show } = main.session;
  const session = { root: machine.root, cwd, sessionId };
  try {
    const left = leftOpen(session);
    // Those below come first, so that the one that waits for them finds them.
    for (const depth of new Set(left.map(depthOf).sort((one, other) => other - one)))
      await Promise.all(left.filter((one) => depthOf(one) === depth).map((one) => takeOver(one, left, main, signal)));
  } catch (error) {
    show(`The agents that an earlier process left could not be taken over: ${messageOf(error)}`);
  }
}

const depthOf = ({ meta }: Left): number => meta.spawnDepth ?? 0;

function leftOpen(session: TranscriptOwner): readonly Left[] {
  const known = new Map(
    subagentsOf(session).flatMap((agentId) => {
      const meta = readSubagentMeta({ ...session, agentId });
      return meta ? [[agentId, meta]] : [];
    }),
  );
  const open = [...known].filter(([, meta]) => isOpen(meta));
  if (open.length === 0) return [];
  const listenerOf = (id: string) => RunFacts.parse(known.get(id)).listener;
  /** The agents that may have been told of its end, each the listener of the one before. */
  const above = (id: string): readonly string[] => {
    const listener = listenerOf(id);
    return listener === undefined || !known.has(listener) ? [] : [listener, ...above(listener)];
  };
  const entriesOf = (agentId?: string) =>
    entriesAt(transcriptPath({ ...session, ...(agentId !== undefined && { agentId }) }));
  const journals = new Set(open.flatMap(([id]) => above(id)));
  const told = new Set([undefined, ...journals].flatMap((id) => endsToldIn(entriesOf(id))));
  return open.flatMap(([id, meta]) => {
    const facts = RunFacts.parse(meta);
    if (told.has(endOf(id, facts.run))) {
      notesBeside({ ...session, agentId: id }, meta)({ told: facts.run });
      return [];
    }
    const listener = above(id).find((one) => open.some(([other]) => other === one));
    const entries = entriesOf(id);
    return [{ ...facts, listener, id, meta, entries, state: entries.reduce(reduce, emptyState) }];
  });
}

async function takeOver(one: Left, left: readonly Left[], main: Agent, signal: AbortSignal): Promise<void> {
  const { id, meta, state, entries, run, task, listener } = one;
  const { agents, gates, show } = main.session;
  const { description = meta.agentType } = meta;
  const usage = usageIn(entries);
  const isWaiting = left.some((other) => other.listener === id && isInBackground(other));
  const ended = isAtRest(state) && !isWaiting ? state.ended : undefined;
  const text = state.answer?.text ?? "";
  const cutOff = (so: string): JobEnd => ({
    status: "killed",
    text,
    failure: "its process ended",
    words: `was cut off when its process ended${so}`,
    usage,
  });
  const invitation = `; to resume it, send a message to ${id}`;
  if (ended) {
    const isClosed = !ended.isOk && ended.reason === "shutdown";
    return told({
      ...outcomeOf(ended),
      ...(isClosed && { words: `was stopped when its session was closed${invitation}` }),
      usage,
    });
  }
  if (!isInBackground(one) || !gates.isRecovering) return told(cutOff(invitation));
  const denied = deniedAgents(agents, main.permissions.rules()).get(meta.agentType);
  const isTold = entries.some((entry) => entry.kind === "input" && entry.input.id === endOf(id, run));
  const [first] = entries;
  const again = {
    prompt: isTold ? undefined : task,
    run,
    isResumed: isTold || run > 1,
    before: usage,
    listener,
    further: [],
    ...(first?.kind === "opened" && first.fork && { fork: first.fork }),
    ...callOf(one),
  };
  const resumed = denied === undefined ? await goOn(id, meta, again, main, signal) : { refusal: denied };
  if ("refusal" in resumed) return told(cutOff(` and cannot go on: ${resumed.refusal}`));
  show(`The agent "${description}" (${id}) goes on where its process left it.`);

  function told(end: JobEnd): void {
    const { machine, jobs, project, sessionId, uid } = main.session;
    const { root, temporary } = machine;
    const owner = { root, cwd: project, sessionId, agentId: id };
    const note = notesBeside(owner, meta);
    note({ run });
    jobs.start({
      id,
      description,
      ...(meta.name !== undefined && !jobs.holder(meta.name, id) && { name: meta.name }),
      outputFile: linkOutput(id, transcriptPath(owner), { project, sessionId, uid, temporary }),
      ...callOf(one),
      agent: listener,
      isBackground: true,
      waiter: signal,
      run: async () => end,
      output: () => end.text,
      async tidy() {
        note({ finished: true });
        return leftPlace(id, meta, note, main.session, signal);
      },
      telling: tellingOf(id, run, note),
    });
  }
}

const isInBackground = ({ meta }: Left): boolean => meta.requestShape === "background";

/** Nothing is left to do in its journal. */
const isAtRest = ({ ended, waiting }: State): boolean => ended !== undefined && waiting.length === 0;

/** The call that began it is answered by its first run alone. */
const callOf = ({ run, meta: { toolUseId: call } }: Left) => (run > 1 || call === undefined ? {} : { call });
