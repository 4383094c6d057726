import { setTimeout as delay } from "node:timers/promises";
import { type FakeAgent, type MessagesRequest, type Reply, toolUse } from "@troupe/fake-anthropic";
import { awaited } from "../../scripts/awaited.ts";
import { markOf, resultsOf, toldTo } from "./conversation.ts";
import { type Call, type Dialect, dialectOf } from "./dialect.ts";

/** A lead whose model does what it is bidden. */
export interface Puppet {
  readonly dialect: Dialect;
  /** Says a text to it as a person does, and waits until its model has seen it. */
  say(text: string): Promise<void>;
  /** Its model calls these tools in one answer; the results. */
  does(...calls: readonly Call[]): Promise<readonly string[]>;
  /** What its model was told so far. */
  told(): string;
  /** Resolves when its model was told this. */
  hears(words: string, limitMs?: number): Promise<void>;
}

export interface PuppetDeps {
  readonly agent: FakeAgent;
  /** Brings a text to it. */
  readonly type: (text: string) => Promise<void>;
  /** What is seen of it, for an error. */
  readonly look?: () => Promise<string>;
}

/** Speaks the first word to a lead, and takes it over. */
export async function takeOver({ agent, type, look = async () => "" }: PuppetDeps): Promise<Puppet> {
  let count = 0;
  const wait = async <T>(what: string, find: (request: MessagesRequest) => T | false | undefined, limitMs?: number) => {
    const giving = new AbortController();
    const seen = agent.seen(find, giving.signal);
    seen.catch(() => {});
    try {
      return await awaited(`the model of ${agent.name} to be told ${what}`, seen, limitMs);
    } catch (error) {
      throw new Error(`${(error as Error).message}; seen of it:\n${await look()}`);
    } finally {
      giving.abort();
    }
  };
  async function say(text: string): Promise<void> {
    await type(text);
    await wait(text, (request) => toldTo(request).includes(text));
  }
  await say(`${markOf(agent.name)} hello`);
  const dialect = dialectOf(agent.requests.at(-1) ?? { tools: [] });
  return {
    dialect,
    say,
    told() {
      const last = agent.requests.at(-1);
      return last ? toldTo(last) : "";
    },
    async does(...calls) {
      const ids = calls.map(() => `toolu_${agent.name}_${++count}`);
      agent.push(calls.map(([tool, input], n) => toolUse(tool, input, ids[n])));
      await say(`go on ${count}`);
      return wait(`the results of ${calls[0]?.[0]}`, (request) => resultsOf(request, ids), 120_000);
    },
    hears: async (words, limitMs) => void (await wait(words, (request) => toldTo(request).includes(words), limitMs)),
  };
}

/** A client of another make than its lead calls its tools by words of its own. */
export const dialectIn = ({ requests }: FakeAgent): Dialect => dialectOf(requests.at(-1) ?? { tools: [] });

/** The pace of a teammate whose model answers at once, where it cannot keep up with that. */
export interface Pace {
  /** Resolves when it has come to rest, and can be told more. */
  rests(): Promise<unknown>;
  /** Resolves when it has begun a turn, and its model may answer. */
  works(): Promise<unknown>;
  /** Resolves when it is gone: what its model says behind its farewell comes too late. */
  leaves(): Promise<unknown>;
}

const atOnce: Pace = { rests: async () => {}, works: async () => {}, leaves: async () => {} };

/** Has the model of a teammate call a tool with its next turn; the result. */
export async function bid(lead: Puppet, agent: FakeAgent, [tool, input]: Call, pace = atOnce): Promise<string> {
  await pace.rests();
  const id = `toolu_${agent.name}_${agent.requests.length}`;
  // The reply is for the very request that brings this word: one of another turn may come before.
  void agent.seen((request) => {
    if (!toldTo(request).includes(`work ${id}`)) return false;
    agent.push(pace.works().then(() => [toolUse(tool, input, id)]));
    return true;
  });
  await sent(lead, lead.dialect.send(agent.name, `work ${id}`), pace);
  const [result = ""] = await awaited(
    `the result of ${tool} of ${agent.name}`,
    agent.seen((request) => resultsOf(request, [id])),
  );
  return result;
}

/** Tries again what a lead of ours could not send, since the client was just writing in place. */
async function sent(lead: Puppet, call: Call, pace: Pace): Promise<void> {
  for (let tries = 0; tries < 5; tries += 1) {
    const [said = ""] = await lead.does(call);
    if (!said.includes("cannot be read now")) return;
    await pace.rests();
  }
  throw new Error("the members of the team could not be read five times");
}

interface Farewell {
  /** Why it refuses; without one it agrees. */
  readonly reason?: string;
  readonly pace?: Pace;
}

/** Nothing tells when the turn of a lead is over; its model has said its last word by then. */
const leadEndsMs = 1_000;

/** Asks a teammate to end, whose model is bidden what it answers. */
export async function askToEnd(
  lead: Puppet,
  agent: FakeAgent,
  { reason, pace = atOnce }: Farewell = {},
): Promise<void> {
  await pace.rests();
  const idIn = (request: MessagesRequest | undefined) => request && shutdownIdIn(toldTo(request));
  const before = idIn(agent.requests.at(-1));
  const asked = agent.seen((request) => {
    const id = idIn(request);
    if (id === undefined || id === before) return false;
    agent.push(...farewell(id));
    return id;
  });
  const answer = (id: string) => dialectIn(agent).answerEnd("team-lead", id, reason === undefined, reason);
  const asking = sent(lead, lead.dialect.askToEnd(agent.name), pace);
  // What a lead takes from its inbox in the middle of a turn does not always reach its model.
  const isDone = () => asking.catch(() => {}).then(() => delay(leadEndsMs));
  function farewell(id: string): readonly Promise<Reply>[] {
    const answered = isDone()
      .then(pace.works)
      .then((): Reply => [toolUse(...answer(id))]);
    return reason === undefined ? [answered, pace.leaves().then((): Reply => "OK.")] : [answered];
  }
  await asking;
  await awaited(`the request to end at ${agent.name}`, asked);
}

/** The last request to end that a model was told of. */
const shutdownIdIn = (told: string): string | undefined =>
  told.match(/shutdown-(\d+@[\w-]+(@[\w-]+)?|[\w-]+-\d{13}-[0-9a-f]+)/g)?.at(-1);
