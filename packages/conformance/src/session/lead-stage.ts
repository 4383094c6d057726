import { execFileSync } from "node:child_process";
import type { Check, CheckContext } from "../check.ts";
import { revisions } from "../requirement.ts";
import { assertThat } from "./assert.ts";
import { markOf } from "./conversation.ts";
import { type Dialect, dialectOf, type SpawnWish } from "./dialect.ts";
import type { Letter } from "./post.ts";
import type { Puppet } from "./puppets.ts";
import type { RunningSession } from "./sessions.ts";
import { openStage, type Stage } from "./stage.ts";

/**
 * A session of the target that leads a team, whose model the suite plays as those of its teammates.
 */
export interface LeadStage extends Stage {
  readonly lead: Puppet;
  readonly session: RunningSession;
  dialect(): Promise<Dialect>;
  /** Makes the team where that takes a call; its name. */
  makeTeam(): Promise<string>;
  /** Starts a teammate; it is asked by the time this resolves. */
  spawn(wish: Omit<SpawnWish, "team">): Promise<Puppet>;
  /** The first letter to somebody with a body of this type. */
  letter(type: string, to: string): Promise<Letter>;
}

interface LeadOptions {
  readonly mode?: string;
  /** Where its teammates run; the target chooses unless told. */
  readonly backend?: string;
  /** What it is told first, behind its mark. */
  readonly prompt?: string;
  /** The project is a git repository with one commit. */
  readonly isRepository?: boolean;
}

async function openLead(context: CheckContext, options: LeadOptions): Promise<LeadStage> {
  const { mode, backend = "auto", prompt = "Lead a team.", isRepository = false } = options;
  const stage = await openStage(context);
  const { post, until, puppet, cwd } = stage;
  if (isRepository) commitAll(cwd);
  const told = `${markOf("lead")} ${prompt}`;
  const session = stage.start("lead", { prompt: told, backend, ...(mode !== undefined && { mode }) });
  const lead = puppet("lead");
  const dialect = async () => dialectOf(await lead.asked());
  let team: Promise<string> | undefined;
  async function make(): Promise<string> {
    const { hasTeams, makeTeam } = await dialect();
    if (hasTeams) {
      const [result] = await lead.does(makeTeam("crew"));
      assertThat(result?.isError === false, "the team was not made", result);
    }
    return until("a team in the files", () => post.team());
  }
  const makeTeam = () => {
    team ??= make();
    return team;
  };
  return {
    ...stage,
    lead,
    session,
    dialect,
    makeTeam,
    async spawn({ name, prompt, mode: own }) {
      const [name_, { spawn }] = [await makeTeam(), await dialect()];
      const wish = { name, prompt: `${markOf(name)} ${prompt}`, team: name_, ...(own !== undefined && { mode: own }) };
      const [result] = await lead.does(spawn(wish));
      assertThat(result?.isError === false, `${name} was not started`, result);
      const mate = puppet(name);
      await mate.asked();
      return mate;
    },
    letter: (type, to) =>
      until(`${type} in the inbox of ${to}`, () => post.to(to).find(({ body }) => body["type"] === type)),
  };
}

/** What the user of this machine has set for git does not matter to it. */
function commitAll(cwd: string): void {
  const own = ["user.name=suite", "user.email=suite@example.org", "commit.gpgsign=false", "core.hooksPath=/dev/null"];
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...own.flatMap((one) => ["-c", one]), ...args], { cwd, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "notes");
}

interface LeadCheck extends Pick<Check, "id" | "title" | "requirements"> {
  readonly level?: Check["level"];
  readonly revisions?: Check["revisions"];
  readonly with?: LeadOptions;
  readonly run: (stage: LeadStage, context: CheckContext) => Promise<void>;
}

/** A check of a session that leads; whatever comes of it, its processes end. */
export const leadCheck = ({ run, with: options = {}, level = "L3", revisions: some, ...rest }: LeadCheck): Check => ({
  ...rest,
  level,
  revisions: some ?? revisions,
  needs: { methods: [], session: "lead" },
  async run(context) {
    const stage = await openLead(context, options);
    try {
      await run(stage, context);
    } finally {
      await stage.close();
    }
    return undefined;
  },
});
