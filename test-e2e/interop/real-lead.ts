import { toolUse } from "@troupe/fake-anthropic";
import { awaited, untilSeen } from "../../scripts/awaited.ts";
import { markOf, resultsOf, toldTo } from "./conversation.ts";
import { type Call, type Dialect, dialectOf } from "./dialect.ts";
import type { Stage } from "./stage.ts";

/** A client at whose screen a person sits, and whose model does what it is bidden. */
export interface RealLead {
  readonly pane: string;
  readonly dialect: Dialect;
  /** Types a text and waits until its model has seen it. */
  say(text: string): Promise<void>;
  /** Its model calls these tools in one answer; the results. */
  does(...calls: readonly Call[]): Promise<readonly string[]>;
  /** What its model was told so far. */
  told(): string;
  /** Resolves when its model is told this. */
  hears(words: string, limitMs?: number): Promise<void>;
  /** Leaves as a person does. */
  exit(): Promise<void>;
}

const name = "team-lead";

/** Starts the client in a pane and speaks the first word. */
export async function startLead(stage: Stage, ...flags: readonly string[]): Promise<RealLead> {
  const { terminal, client } = stage;
  const agent = stage.agent(name);
  const pane = await terminal.open([...client.command, "--model", "claude-opus-4-6", ...flags]);
  let count = 0;
  await untilSeen("the client's prompt", async () => /^ *[>❯]/m.test(await terminal.screen(pane)));

  const told = () => {
    const last = agent.requests.at(-1);
    return last ? toldTo(last) : "";
  };

  async function say(text: string): Promise<void> {
    await terminal.type(pane, text);
    const seen = agent.seen((request) => toldTo(request).includes(text));
    await awaited(`the model of the lead to be told ${text}`, seen).catch(async (error: Error) => {
      throw new Error(`${error.message}; on its screen:\n${await terminal.screen(pane)}`);
    });
  }

  await say(`${markOf(name)} hello`);
  const [first] = agent.requests;
  const dialect = dialectOf(first ?? { tools: [] });
  return {
    pane,
    dialect,
    say,
    told,
    async does(...calls) {
      const ids = calls.map(() => `toolu_lead_${++count}`);
      agent.push(calls.map(([tool, input], n) => toolUse(tool, input, ids[n])));
      await say(`go on ${count}`);
      const results = agent.seen((request) => resultsOf(request, ids));
      return awaited(`the results of ${calls[0]?.[0]} of the lead`, results, 120_000);
    },
    async hears(words, limitMs) {
      const heard = agent.seen((request) => toldTo(request).includes(words));
      await awaited(`the model of the lead to be told ${words}`, heard, limitMs);
    },
    async exit() {
      await terminal.type(pane, "/exit");
      const isThere = async () => (await terminal.panes().catch((): readonly string[] => [])).includes(pane);
      await untilSeen("the end of the lead", async () => !(await isThere()));
    },
  };
}

/** The team that the lead leads: made by name, or that of its session. */
export async function makeTeam(stage: Stage, lead: RealLead): Promise<string> {
  if (!lead.dialect.hasTeams) {
    const [team] = await untilSeen("the team of the session", async () => {
      const names = await stage.store.listTeams();
      return names.length > 0 && names;
    });
    return team ?? "";
  }
  await lead.does(["TeamCreate", { team_name: "crew", description: "live" }]);
  return "crew";
}

/** A teammate that the lead has started ends as it is asked to. */
export async function endTeammate({ agent }: Stage, { dialect, does, hears }: RealLead, name: string): Promise<void> {
  const asked = agent(name).seen((request) => shutdownIdIn(toldTo(request)));
  agent(name).push(asked.then((id) => [toolUse(...dialect.answerEnd("team-lead", id, true))]));
  await does(dialect.askToEnd(name));
  await hears(`shutdown_approved`);
}

/** The last request to end that a model was told of. */
const shutdownIdIn = (told: string): string | undefined => told.match(/shutdown-\d+@[\w-]+(@[\w-]+)?/g)?.at(-1);
