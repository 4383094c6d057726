import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { awaited, untilSeen } from "../../scripts/awaited.ts";
import { makes } from "./client.ts";
import { type Puppet, takeOver } from "./puppet.ts";
import type { Stage } from "./stage.ts";

/** A client that leads, with a person at its screen, or a program that speaks to it. */
export interface RealLead extends Puppet {
  /** Where its screen is, if it has one. */
  readonly pane?: string;
  /** Leaves as a person does. */
  exit(): Promise<void>;
}

/** Starts the client and speaks the first word; the flags are for one that has a screen. */
export const startLead = (stage: Stage, ...flags: readonly string[]): Promise<RealLead> =>
  makes[stage.client.kind].hasScreen ? startInPane(stage, flags) : startWithoutScreen(stage);

async function startInPane({ terminal, client, agent }: Stage, flags: readonly string[]): Promise<RealLead> {
  const pane = await terminal.open([...client.command, "--model", "claude-opus-4-6", ...flags]);
  await untilSeen("the client's prompt", async () => /^ *[>❯]/m.test(await terminal.screen(pane)));
  const puppet = await takeOver({
    agent: agent("team-lead"),
    type: (text) => terminal.type(pane, text),
    look: () => terminal.screen(pane),
  });
  return {
    ...puppet,
    pane,
    async exit() {
      await terminal.type(pane, "/exit");
      const isThere = async () => (await terminal.panes().catch((): readonly string[] => [])).includes(pane);
      await untilSeen("the end of the lead", async () => !(await isThere()));
    },
  };
}

/** A program speaks to it in lines of JSON, and it answers in such. */
async function startWithoutScreen({ startClient, agent }: Stage): Promise<RealLead> {
  const json = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const running = startClient(["-p", ...json, "--dangerously-skip-permissions"]);
  let said = "";
  const turns = { begun: 0, isAtWork: false };
  running.errors.on("data", (piece) => {
    said = `${said}${piece}`.slice(-2_000);
  });
  createInterface({ input: running.output }).on("line", (line) => {
    if (line.startsWith('{"type":"system","subtype":"init"')) turns.begun += 1;
    else said = `${said}${line.slice(0, 400)}\n`.slice(-2_000);
    turns.isAtWork = !line.startsWith('{"type":"result"');
  });
  const puppet = await takeOver({
    agent: agent("team-lead"),
    async type(text) {
      const { begun } = turns;
      const line = { type: "user", message: { role: "user", content: [{ type: "text", text }] } };
      // What it is told while it takes up its mail, which nothing tells, is lost: it is told again.
      for (let tries = 0; turns.begun === begun && tries < 10; tries += 1) {
        await untilSeen("the end of its turn", () => !turns.isAtWork);
        // It tells a result before it has settled; told something then, it runs nothing any more.
        await delay(1_500);
        running.input?.write(`${JSON.stringify(line)}\n`);
        await untilSeen("its next turn", () => turns.begun > begun, 30_000).catch(() => {});
      }
    },
    look: async () => said,
  });
  return {
    ...puppet,
    async exit() {
      running.input?.end();
      await awaited("the end of the lead", running.ended);
    },
  };
}

/** The team that the lead leads: made by name, or that of its session. */
export async function makeTeam(
  { store }: Pick<Stage, "store">,
  { dialect, does }: Puppet,
  wanted = "crew",
): Promise<string> {
  if (dialect.hasTeams) {
    await does(dialect.makeTeam(wanted));
    return wanted;
  }
  const [team] = await untilSeen("the team of the session", async () => {
    const names = await store.listTeams();
    return names.length > 0 && names;
  });
  return team ?? "";
}
