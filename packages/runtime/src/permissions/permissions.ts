import { knownPermissionUpdate, type PermissionUpdate, type Problem } from "@troupe/protocol";
import { type Ask, type Badge, bubbleTo } from "@troupe/team";
import type { Judgement, PendingCall } from "../loop/tool.ts";
import { amendSettings } from "../settings/write.ts";
import type { Advisor } from "./advice.ts";
import { beforehand } from "./beforehand.ts";
import { childModes, type ModeBounds, type Modes, sessionModes } from "./modes.ts";
import { type Asking, judgeCall, permitCall } from "./permit.ts";
import { isBelow, isInside, placesOf, rootsOf } from "./place.ts";
import { type Rule, readRules } from "./rule.ts";
import type { Ground, Ruling, WorkingMode } from "./ruling.ts";
import { faultOf, type Granted, granted, permissionsAfter, type SettingsFiles } from "./update.ts";

export interface PermissionsDeps extends Granted, Asking {
  /** Absolute: where the agent works. */
  readonly cwd: string;
  readonly home: string;
  /** Directories it may read besides those it works in: long results of its own tools. */
  readonly readable?: readonly string[];
  /** Where it keeps its memory, which no link leads out of. */
  readonly memory?: string | undefined;
  /** Where plans lie, which an agent in plan mode writes. */
  readonly plans?: string;
  /** The user has enabled the mode bypassPermissions. */
  readonly isBypassAvailable: boolean;
  /** Where updates that last are written. */
  readonly files?: SettingsFiles;
}

export interface Permissions {
  /** Does the agent work there: in one of its directories? */
  covers(path: string): boolean;
  /** Judges a call without asking anybody. */
  judge(call: Pick<PendingCall, "tool" | "input">): Ruling;
  /**
   * The same, after the advisor was heard; the advisor, or else the person, answers what is a
   * question then.
   */
  permit(call: PendingCall, advisor: Advisor, signal: AbortSignal): Promise<Judgement>;
  /**
   * Asks the person about tools before any call of them; later questions of this agent are answered
   * by it, but for what no rule could allow.
   */
  askBeforehand(
    tools: readonly string[],
    about: { readonly call: string; readonly reason: string },
    signal: AbortSignal,
  ): Promise<void>;
  mode(): WorkingMode;
  /**
   * The mode that teammates, agents and plans have from it: its mode, but where it only delegates.
   */
  lends(): WorkingMode;
  /** The number of times it was set, also to the same mode: another may have set it last. */
  timesSet(): number;
  /** Why the mode stays as it is, or undefined once it is set. */
  setMode(mode: WorkingMode): string | undefined;
  /** Takes updates, each where it wants to be kept; returns what was not taken and why. */
  apply(updates: readonly PermissionUpdate[]): Promise<readonly string[]>;
  /** The rules of this moment, as they were written. */
  rules(): Granted["rules"];
  /** Problems in the rules. */
  problems(): readonly Problem[];
  /**
   * Those of an agent that this one starts: what is granted to either holds for both, and who asks
   * is marked with its badge.
   */
  within(child: ChildPermissions): Permissions;
}

/** An agent below another. */
export interface ChildPermissions extends Pick<PermissionsDeps, "cwd" | "memory"> {
  /**
   * Its own, which its parent's bounds at every call; without one it works as its parent does.
   * `bubble` shares its parent's, and sets it.
   */
  readonly mode: WorkingMode | undefined;
  readonly bounds?: ModeBounds;
  readonly badge: Badge;
  /** The person to ask, if not the one its parent asks. */
  readonly ask?: Ask;
  readonly interrupt?: (reason: string) => void;
}

export function createPermissions(deps: PermissionsDeps): Permissions {
  const session = sessionModes(possible(deps.mode, deps));
  return permissionsOf(deps, { rules: deps.rules, directories: deps.directories, project: deps.cwd, session }, session);
}

/** Bypassing is for users who have enabled it. */
const possible = (mode: WorkingMode, { isBypassAvailable }: Pick<PermissionsDeps, "isBypassAvailable">): WorkingMode =>
  mode === "bypassPermissions" && !isBypassAvailable ? "default" : mode;

/**
 * Permissions that all agents of a session share; lists are replaced as a whole when something is
 * granted.
 */
type Shared = { -readonly [Key in "rules" | "directories"]: Granted[Key] } & {
  /** From where the relative paths of rules are meant. */
  readonly project: string;
  /** The mode that bounds those of all agents. */
  readonly session: Modes;
};

function permissionsOf(deps: PermissionsDeps, shared: Shared, modes: Modes): Permissions {
  const { cwd, home, readable = [], memory, plans, isBypassAvailable, ask } = deps;
  const files: SettingsFiles = deps.files ?? new Map();
  const before = beforehand(ask);
  let known: (Granted & { readonly ground: ReturnType<typeof groundOf> }) | undefined;

  return {
    covers,
    judge,
    permit: (call, advisor, signal) => permitCall(call, advisor, signal, { ...deps, ask: before.ask, judge, apply }),
    async askBeforehand(tools, about, signal) {
      if (modes.asksNobody() || modes.now() === "bypassPermissions") return;
      await before.prepare(tools, { ...about, newId: deps.newId }, signal);
    },
    mode: modes.now,
    lends: modes.lends,
    timesSet: modes.timesSet,
    setMode,
    apply,
    rules: () => shared.rules,
    problems: () => ground().problems,
    within,
  };

  /** Links are followed once for each change of what is granted, not for each call. */
  function ground() {
    const now: Granted = { rules: shared.rules, directories: shared.directories, mode: modes.now() };
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
      memory: rootsOf(memory === undefined ? [] : [memory]),
      plans: rootsOf(plans === undefined ? [] : [plans]),
    };
  }

  /**
   * A rule that denies something in the project denies it in a copy of the project as well; a rule
   * that allows something allows it there alone.
   */
  function rulesIn(rules: Granted["rules"]) {
    const { project } = shared;
    const read = readRules(rules, { cwd: project, home });
    if (cwd === project) return read;
    const [copies, originals] = [
      [cwd, ...rootsOf([cwd])],
      [project, ...rootsOf([project])],
    ];
    const originalsOf = (place: string) =>
      copies
        .filter((copy) => isBelow(place, copy))
        .flatMap((copy) => originals.map((original) => `${original}${place.slice(copy.length)}`));
    const alsoInCopy = ({ isPlace, ...rule }: Rule): Rule =>
      isPlace && rule.behavior !== "allow"
        ? { ...rule, isPlace: (place) => [place, ...originalsOf(place)].some(isPlace) }
        : { ...rule, ...(isPlace && { isPlace }) };
    return { ...read, rules: read.rules.map(alsoInCopy) };
  }

  function covers(path: string): boolean {
    const places = placesOf(path);
    return places !== undefined && isInside(places, ground().roots);
  }

  function judge(call: Pick<PendingCall, "tool" | "input">): Ruling {
    return judgeCall({ ...ground(), asksNobody: modes.asksNobody() }, call);
  }

  function setMode(wanted: WorkingMode): string | undefined {
    if (wanted === "bypassPermissions" && !isBypassAvailable) return "the user has not enabled bypassing permissions";
    modes.set(wanted);
    return undefined;
  }

  /**
   * Everything is granted before the first file is written: nobody waits for a lock with half of an
   * answer.
   */
  async function apply(updates: readonly PermissionUpdate[]): Promise<readonly string[]> {
    const refused: string[] = [];
    const writing: (() => Promise<string | undefined>)[] = [];
    for (const one of updates) {
      const update = knownPermissionUpdate(one);
      const fault = update ? faultOf(update, isBypassAvailable) : `updates of the type ${one.type} are not understood`;
      if (!update || fault !== undefined) {
        refused.push(fault ?? "");
        continue;
      }
      const { mode, rules, directories } = granted({ ...shared, mode: modes.now() }, update, files, shared.project);
      if (update.type === "setMode") modes.set(mode);
      Object.assign(shared, { rules, directories });
      const file = files.get(update.destination);
      if (file !== undefined)
        writing.push(() => amendSettings(file, "permissions", (found) => permissionsAfter(found, update)));
    }
    for (const write of writing) {
      const problem = await write();
      if (problem !== undefined) refused.push(problem);
    }
    return refused;
  }

  function within({ mode, bounds, badge, ...over }: ChildPermissions): Permissions {
    const child = { ...deps, ask: bubbleTo(ask, badge), ...over };
    const own = mode && possible(mode, deps);
    const shares = { ...modes, now: modes.lends };
    return permissionsOf(child, shared, own === "bubble" ? shares : childModes(own, modes, shared.session, bounds));
  }
}
