import { writeFoundTeam } from "../cases/found-team.ts";
import type { CheckContext } from "../check.ts";
import { identityOf } from "../checks/teams.ts";
import { type Fields, placesOf } from "../concurrency/documents.ts";
import { markOf } from "./conversation.ts";
import { type Dialect, dialectOf } from "./dialect.ts";
import type { Letter } from "./post.ts";
import type { Puppet } from "./puppets.ts";
import { putEntry } from "./put-entry.ts";
import type { RunningSession } from "./sessions.ts";
import { openStage, type Stage } from "./stage.ts";

/** A teammate of the target whose lead is the suite. */
export interface MateStage extends Stage {
  readonly team: string;
  readonly mate: Puppet;
  readonly session: RunningSession;
  /** The words in which its tools are called, once its model was asked. */
  dialect(): Promise<Dialect>;
  /** Puts an entry into an inbox, as the lead unless told, under its lock. */
  put(text: string | object, more?: Fields, agent?: string): Promise<void>;
  /** The first letter to somebody, the lead unless told, with a body of this type. */
  letter(type: string, to?: string): Promise<Letter>;
  letters(type: string, to?: string): readonly Letter[];
}

export interface MateOptions {
  readonly mode?: string;
  readonly planModeRequired?: boolean;
  /** What the first entry of its inbox says besides. */
  readonly prompt?: string;
  readonly flags?: readonly string[];
}

/** The teammate of every such check. */
const mateName = "ann";
const color = "blue";

/** Leaves a team as a lead would that has just made a pane for ann, and starts her. */
async function openMate(context: CheckContext, options: MateOptions = {}): Promise<MateStage> {
  const { planModeRequired = false, prompt = "Wait for work.", flags = [] } = options;
  const stage = await openStage(context);
  const identity = identityOf(context);
  const { team, session } = identity;
  const { cwd, post } = stage;
  const isOld = context.revision === "2026-02";
  // A lead of 2026-11 whose teammates must plan is in plan mode itself, and hands it on.
  const { mode = planModeRequired && !isOld ? "plan" : "default" } = options;
  const told = `${markOf(mateName)} ${prompt}`;
  const ann = { name: mateName, color, tmuxPaneId: "%7", backendType: "tmux", planModeRequired, prompt: told, cwd };
  const bob = { name: "bob", tmuxPaneId: "%8", backendType: "tmux", cwd };
  writeFoundTeam(context.root, context.revision, identity, {
    // Who leads is the suite; a process of that number on another machine cannot be judged.
    ...(!isOld && { config: { leadProcess: { pid: process.pid, pidSpace: "suite", claimedAt: Date.now() } } }),
    members: [isOld ? { ...ann, isActive: true } : ann, bob],
    inboxes: { [mateName]: [{ from: "team-lead", text: told }] },
  });
  const started = stage.start("teammate", {
    flags: [
      ...["--agent-id", `${mateName}@${team}`, "--agent-name", mateName, "--team-name", team, "--agent-color", color],
      ...["--parent-session-id", session],
      ...(planModeRequired ? ["--plan-mode-required"] : []),
      ...["--agent-type", "general-purpose"],
      ...(mode === "bypassPermissions" ? ["--dangerously-skip-permissions"] : ["--permission-mode", mode]),
      ...["--model", "claude-opus-4-6"],
      ...flags,
    ],
  });
  const mate = stage.puppet(mateName);
  const letters = (type: string, to = "team-lead") => post.to(to).filter(({ body }) => body["type"] === type);
  return {
    ...stage,
    team,
    mate,
    session: started,
    dialect: async () => dialectOf(await mate.asked()),
    letters,
    letter: (type, to = "team-lead") => stage.until(`${type} in the inbox of ${to}`, () => letters(type, to)[0]),
    put: (text, more, agent = mateName) => putEntry(context, placesOf(context).inbox(agent), text, more),
  };
}

/** Runs a check of a teammate; whatever comes of it, its processes end. */
export async function withMate(
  context: CheckContext,
  options: MateOptions,
  run: (stage: MateStage) => Promise<void>,
): Promise<undefined> {
  const stage = await openMate(context, options);
  try {
    await run(stage);
  } finally {
    await stage.close();
  }
  return undefined;
}
