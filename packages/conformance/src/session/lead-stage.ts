import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Check, CheckContext } from "../check.ts";
import { revisions } from "../requirement.ts";
import { assertThat } from "./assert.ts";
import { markOf, toldTo } from "./conversation.ts";
import { type Dialect, dialectOf, type SpawnWish } from "./dialect.ts";
import { openPanes, type Pane, type Panes } from "./panes.ts";
import type { Letter } from "./post.ts";
import type { Puppet } from "./puppets.ts";
import { openSeat, type Seat } from "./seat.ts";
import type { RunningSession } from "./sessions.ts";
import { openStage, type Stage } from "./stage.ts";

/**
 * A session of the target that leads a team, whose model the suite plays as those of its teammates.
 */
export interface LeadStage extends Stage {
  readonly lead: Puppet;
  readonly session: RunningSession;
  /** The tmux that it is in; fails the suite where it is in none. */
  readonly panes: Panes;
  /** The person before its screen; fails the suite where there is none. */
  readonly seat: Seat;
  /** The pane that the config names as that of a member, once its program is there. */
  paneOf(name: string): Promise<Pane>;
  dialect(): Promise<Dialect>;
  /** Makes the team where that takes a call; its name. */
  makeTeam(): Promise<string>;
  /** Starts a teammate; it is asked by the time this resolves. */
  spawn(wish: Omit<SpawnWish, "team">): Promise<Puppet>;
  /** Lets its turns end until it was told these words; what it was told then. */
  hears(words: string): Promise<string>;
  /** The first letter to somebody with a body of this type. */
  letter(type: string, to: string): Promise<Letter>;
  /** Asks a teammate to end, which agrees; its approval, which is in the lead's inbox by then. */
  letGo(name: string, mate: Puppet): Promise<Letter>;
}

interface LeadOptions {
  readonly mode?: string;
  /** Further flags of the reference client. */
  readonly flags?: readonly string[];
  /** Where its teammates run; the target chooses unless told. */
  readonly backend?: string;
  /** Nothing says that it is to lead anybody. */
  readonly isAlone?: boolean;
  /** What it is told first, behind its mark. */
  readonly prompt?: string;
  /** The project is a git repository with one commit. */
  readonly isRepository?: boolean;
  /** What lies in the root and in the project before it is started, by the path. */
  readonly rootFiles?: Readonly<Record<string, string>>;
  readonly projectFiles?: Readonly<Record<string, string>>;
  /** What is to be done in the project and beside it before; variables for the session. */
  readonly prepare?: (place: { readonly cwd: string; readonly scratch: string }) => Readonly<Record<string, string>>;
  /** It is started in a pane of a tmux of the suite's. */
  readonly isInTmux?: boolean;
  /** It is a session at a screen, in such a pane, and what it is told first is typed. */
  readonly isAtScreen?: boolean;
}

async function openLead(context: CheckContext, options: LeadOptions): Promise<LeadStage> {
  const { prompt = "Lead a team.", isRepository = false, isAtScreen = false, isInTmux = isAtScreen } = options;
  const stage = await openStage(context);
  const { post, until, puppet, cwd } = stage;
  const written = [...filesIn(context.root, options.rootFiles), ...filesIn(cwd, options.projectFiles)];
  for (const [path, text] of written) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o755 });
  }
  if (isRepository) commitAll(cwd);
  const variables = options.prepare?.({ cwd, scratch: context.scratch });
  const told = `${markOf("lead")} ${prompt}`;
  const panes = isInTmux ? openPanes(context.scratch) : undefined;
  const seat = isAtScreen && panes ? openSeat(panes, until) : undefined;
  const close = async () => {
    await stage.close();
    panes?.close();
  };
  const session = await begun();
  const lead = puppet("lead");
  const dialect = async () => dialectOf(await lead.asked());
  let team: Promise<string> | undefined;
  /** A target without the command must leave no tmux behind. */
  async function begun(): Promise<RunningSession> {
    try {
      const environment = { ...panes?.environment, ...variables };
      if (!seat) return stage.start("lead", { prompt: told, ...startOf(options) }, environment);
      const started = stage.start("screen", startOf(options), environment, seat.begin);
      await seat.types(told);
      return started;
    } catch (error) {
      await close();
      throw error;
    }
  }
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
  const letter = (type: string, to: string) =>
    until(`${type} in the inbox of ${to}`, () => post.to(to).find(({ body }) => body["type"] === type));
  return {
    ...stage,
    lead,
    session,
    get panes() {
      if (!panes) throw new Error("this lead is in no tmux");
      return panes;
    },
    get seat() {
      if (!seat) throw new Error("nobody sits before this lead");
      return seat;
    },
    paneOf: (name) =>
      until(`the pane of ${name}`, () => {
        const id = post.member(name)?.["tmuxPaneId"];
        return panes?.all().find((pane) => pane.id === id);
      }),
    close,
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
    hears: (words) =>
      until(`${words} at the lead's model`, () => {
        const told = toldTo(lead.requests.at(-1) ?? { messages: [] });
        if (told.includes(words)) return told;
        if (lead.isAsked()) lead.says("I wait.").catch(() => {});
        return undefined;
      }),
    letter,
    async letGo(name, mate) {
      const { askToEnd, answerEnd } = await dialect();
      await lead.does(askToEnd(name, "the work is done"));
      const id = String((await letter("shutdown_request", name)).body["requestId"]);
      await mate.says("Done.");
      await mate.asked();
      await mate.calls(answerEnd(id, true));
      return letter("shutdown_approved", "team-lead");
    },
  };
}

const filesIn = (place: string, files: Readonly<Record<string, string>> = {}) =>
  Object.entries(files).map(([path, text]) => [join(place, path), text] as const);

/** A mode that allows everything has a flag of its own. */
function startOf({ mode, flags = [], backend = "auto", isAlone = false }: LeadOptions) {
  const isFree = mode === "bypassPermissions";
  const all = isFree ? ["--dangerously-skip-permissions", ...flags] : flags;
  return {
    ...(!isAlone && { backend }),
    ...(mode !== undefined && !isFree && { mode }),
    ...(all.length > 0 && { flags: all }),
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
  needs: { methods: [], session: options.isAtScreen ? "screen" : "lead" },
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
