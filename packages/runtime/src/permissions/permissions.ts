import { knownPermissionUpdate, type PermissionUpdate, type Problem } from "@troupe/protocol";
import type { Judgement, PendingCall } from "../loop/tool.ts";
import { amendSettings } from "../settings/write.ts";
import { type Ask, answerTo, type Badge, bubbleTo, type Question, type Reply } from "./ask.ts";
import { type Finding, type Ground, strictest, type WorkingMode } from "./finding.ts";
import { judgeCall } from "./judge.ts";
import { isInside, placesOf, rootsOf } from "./place.ts";
import { readRules } from "./rule.ts";
import { faultOf, type Granted, granted, permissionsAfter, type SettingsFiles } from "./update.ts";

export interface PermissionsDeps extends Granted {
  /** Absolute: where the agent works. */
  readonly cwd: string;
  readonly home: string;
  /** Directories it may read besides those it works in: long results of its own tools. */
  readonly readable?: readonly string[];
  /** Where plans lie, which an agent in plan mode writes. */
  readonly plans?: string;
  /** The user has enabled the mode bypassPermissions. */
  readonly isBypassAvailable: boolean;
  /** Whoever may answer in the place of the one who is asked, hooks say. */
  readonly answer?: (question: Question, signal: AbortSignal) => Promise<Reply | undefined>;
  readonly ask: Ask;
  /** How long a question waits for its answer. */
  readonly timeoutMs: number;
  readonly newId: () => string;
  /** Where updates that last are written. */
  readonly files?: SettingsFiles;
  /** Ends the turn: whoever was asked wants no further call. */
  readonly interrupt?: (reason: string) => void;
}

/** What others, hooks say, think of a call. */
export interface Advice {
  readonly behavior?: "allow" | "ask" | "deny";
  readonly reason?: string;
}

export interface Permissions {
  /** Does the agent work there: in one of its directories? */
  covers(path: string): boolean;
  /** What a call comes to, without asking anybody. */
  judge(call: Pick<PendingCall, "tool" | "input">): Finding;
  /** The same, and whoever can be asked is asked. Advice to allow spares a question and no denial. */
  permit(call: PendingCall, advice: Advice, signal: AbortSignal): Promise<Judgement>;
  mode(): WorkingMode;
  /** How often it was set, to what it was before too: whoever set it last may be somebody else. */
  timesSet(): number;
  /** Why the mode stays as it is, or undefined once it is set. */
  setMode(mode: WorkingMode): string | undefined;
  /** Takes updates, each where it wants to be kept; returns what was not taken and why. */
  apply(updates: readonly PermissionUpdate[]): readonly string[];
  /** The rules of this moment, as they were written. */
  rules(): Granted["rules"];
  /** What is wrong with them. */
  problems(): readonly Problem[];
  /** Those of an agent that this one starts: what is granted to either holds for both, and who asks is marked with its badge. */
  within(child: ChildPermissions): Permissions;
}

/** An agent below another. */
export interface ChildPermissions extends Pick<PermissionsDeps, "cwd" | "answer"> {
  /** `bubble` has none of its own: it works under its parent's, whatever that becomes, and its parent is asked. */
  readonly mode: WorkingMode;
  readonly badge: Badge;
  /** Whom it asks, if not whomever its parent asks. */
  readonly ask?: Ask;
  readonly interrupt?: (reason: string) => void;
}

export const createPermissions = (deps: PermissionsDeps): Permissions =>
  permissionsOf(
    deps,
    { rules: deps.rules, directories: deps.directories, project: deps.cwd },
    { mode: possible(deps.mode, deps), timesSet: 0 },
  );

/** Bypassing is for users who have enabled it. */
const possible = (mode: WorkingMode, { isBypassAvailable }: Pick<PermissionsDeps, "isBypassAvailable">): WorkingMode =>
  mode === "bypassPermissions" && !isBypassAvailable ? "default" : mode;

/** What all agents of a session share; lists are replaced as a whole when something is granted. */
type Shared = { -readonly [Key in "rules" | "directories"]: Granted[Key] } & {
  /** From where the relative paths of rules are meant. */
  readonly project: string;
};

/** What an agent has of its own. */
interface Own {
  mode: WorkingMode;
  timesSet: number;
}

function permissionsOf(deps: PermissionsDeps, shared: Shared, own: Own): Permissions {
  const { cwd, home, readable = [], plans, isBypassAvailable, ask, timeoutMs, newId, interrupt } = deps;
  const files: SettingsFiles = deps.files ?? new Map();
  let known: (Granted & { readonly ground: ReturnType<typeof groundOf> }) | undefined;

  return {
    covers,
    judge,
    permit,
    mode: () => own.mode,
    timesSet: () => own.timesSet,
    setMode,
    apply,
    rules: () => shared.rules,
    problems: () => ground().problems,
    within,
  };

  /** Links are followed once for each change of what is granted, not for each call. */
  function ground() {
    const now: Granted = { rules: shared.rules, directories: shared.directories, mode: own.mode };
    if (known?.mode !== now.mode || known.rules !== now.rules || known.directories !== now.directories)
      known = { ...now, ground: groundOf(now) };
    return known.ground;
  }

  function groundOf({ mode, rules, directories }: Granted): Ground & { readonly problems: readonly Problem[] } {
    return {
      mode,
      ...rulesIn(rules),
      cwd,
      home,
      roots: rootsOf([cwd, ...directories]),
      readable: rootsOf(readable),
      plans: rootsOf(plans === undefined ? [] : [plans]),
    };
  }

  /** What forbids something in the project forbids it in a copy of the project as well; what allows something allows it there alone. */
  function rulesIn(rules: Granted["rules"]) {
    const { project } = shared;
    const read = readRules(rules, { cwd: project, home });
    if (cwd === project) return read;
    const forbidding = rules
      .filter(({ behavior }) => behavior !== "allow")
      .map((rule) => (rule.base === project ? { ...rule, base: cwd } : rule));
    return { ...read, rules: [...read.rules, ...readRules(forbidding, { cwd, home }).rules] };
  }

  function covers(path: string): boolean {
    const places = placesOf(path);
    return places !== undefined && isInside(places, ground().roots);
  }

  function judge(call: Pick<PendingCall, "tool" | "input">): Finding {
    return judgeCall(ground(), call);
  }

  async function permit(call: PendingCall, advice: Advice, signal: AbortSignal): Promise<Judgement> {
    const finding = advised(judge(call), advice);
    if (finding.behavior === "allow") return { runs: true, input: call.input };
    const tool = call.tool.definition.name;
    const refusal = (why: string): Judgement => ({ runs: false, message: `${tool} was not run: ${why}.` });
    if (finding.behavior === "deny") return refusal(finding.reason);
    const question = {
      id: newId(),
      call: call.id,
      tool,
      input: call.input,
      reason: finding.reason,
      suggestions: finding.suggestions ?? [],
      now: () => replyOf(advised(judge(call), advice)),
    };
    const asked: Ask = async (one, until) => (await deps.answer?.(one, until)) ?? ask(one, until);
    const reply = await answerTo(asked, question, timeoutMs, signal);
    if (reply.behavior === "deny") {
      if (reply.interrupt) interrupt?.(reply.message);
      return refusal(reply.message);
    }
    apply(reply.updates ?? []);
    const input = reply.updatedInput ?? call.input;
    // Whoever allows a call may change it, but not into one that a rule denies.
    const changed = judge({ tool: call.tool, input });
    return changed.behavior === "deny" ? refusal(changed.reason) : { runs: true, input };
  }

  function setMode(wanted: WorkingMode): string | undefined {
    if (wanted === "bypassPermissions" && !isBypassAvailable) return "the user has not enabled bypassing permissions";
    own.mode = wanted;
    own.timesSet += 1;
    return undefined;
  }

  function apply(updates: readonly PermissionUpdate[]): readonly string[] {
    const refused: string[] = [];
    for (const one of updates) {
      const update = knownPermissionUpdate(one);
      const fault = update ? faultOf(update, isBypassAvailable) : `updates of the type ${one.type} are not understood`;
      if (!update || fault !== undefined) {
        refused.push(fault ?? "");
        continue;
      }
      const { mode, rules, directories } = granted({ ...shared, mode: own.mode }, update, files, shared.project);
      own.mode = mode;
      if (update.type === "setMode") own.timesSet += 1;
      Object.assign(shared, { rules, directories });
      const file = files.get(update.destination);
      const problem =
        file === undefined ? undefined : amendSettings(file, "permissions", (found) => permissionsAfter(found, update));
      if (problem !== undefined) refused.push(problem);
    }
    return refused;
  }

  function within({ mode, badge, ...over }: ChildPermissions): Permissions {
    const { answer: _, ...inherited } = deps;
    const child = { ...inherited, ask: bubbleTo(ask, badge), ...over };
    return permissionsOf(child, shared, mode === "bubble" ? own : { mode: possible(mode, deps), timesSet: 0 });
  }
}

/** An answer that nobody needs to give any more. */
function replyOf({ behavior, reason }: Finding): Reply | undefined {
  if (behavior === "ask") return undefined;
  return behavior === "allow" ? { behavior } : { behavior, message: reason };
}

function advised(finding: Finding, { behavior, reason }: Advice): Finding {
  if (finding.behavior === "deny" || behavior === undefined) return finding;
  if (behavior === "allow")
    return finding.holds ? finding : { behavior: "allow", reason: reason ?? "a hook allows it" };
  const because = { behavior, reason: reason ?? "a hook wants it to be asked about", holds: true };
  return strictest([because, finding]);
}
