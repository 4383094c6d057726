import { untilSeen } from "../../scripts/awaited.ts";
import { type Puppet, takeOver } from "./puppet.ts";
import type { Stage } from "./stage.ts";

/** A client at whose screen a person sits. */
export interface RealLead extends Puppet {
  readonly pane: string;
  /** Leaves as a person does. */
  exit(): Promise<void>;
}

/** Starts the client in a pane and speaks the first word. */
export async function startLead(stage: Stage, ...flags: readonly string[]): Promise<RealLead> {
  const { terminal, client, agent } = stage;
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

/** The team that the lead leads: made by name, or that of its session. */
export async function makeTeam({ store }: Pick<Stage, "store">, { dialect, does }: Puppet): Promise<string> {
  if (dialect.hasTeams) {
    await does(["TeamCreate", { team_name: "crew", description: "live" }]);
    return "crew";
  }
  const [team] = await untilSeen("the team of the session", async () => {
    const names = await store.listTeams();
    return names.length > 0 && names;
  });
  return team ?? "";
}
