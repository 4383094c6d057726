import type { PermissionMode } from "@troupe/protocol";
import type { WorkingMode } from "./ruling.ts";

/** The mode of an agent, at any moment. */
export interface Modes {
  now(): WorkingMode;
  /**
   * The mode that others have from it: the mode that it works in whenever it does not only
   * delegate.
   */
  lends(): WorkingMode;
  /** Nobody is asked, whatever else the mode says. */
  asksNobody(): boolean;
  /** How often it was set. */
  timesSet(): number;
  set(mode: WorkingMode): void;
}

/** How far the mode above binds the one below it. */
export interface ModeBounds {
  /**
   * Modes of the session that its agents work in whatever their definitions say: the user has said
   * that less is asked.
   */
  readonly winning?: readonly WorkingMode[];
  /**
   * A mode that agents may reach by their definitions where the session itself asks: the user has
   * set it so.
   */
  readonly reach?: PermissionMode | undefined;
}

/**
 * Modes from the strictest on. `delegate` only delegates, and the agent it delegates to works as
 * usual; `auto` asks here as `default` does.
 */
const order: Readonly<Record<WorkingMode, number>> = {
  delegate: 0,
  plan: 1,
  dontAsk: 2,
  default: 3,
  manual: 3,
  auto: 3,
  bubble: 3,
  acceptEdits: 4,
  bypassPermissions: 5,
};

const strictness = (mode: WorkingMode): number => order[mode];

/** Modes of a session that no definition, setting or earlier grant lifts. */
const isStrict = (mode: WorkingMode): boolean => mode === "plan" || mode === "dontAsk";

/**
 * An agent's own mode, and never more than its parent's; without one of its own it works as its
 * parent does.
 */
function boundMode(own: WorkingMode | undefined, parents: WorkingMode, reach: PermissionMode | undefined): WorkingMode {
  if (own === undefined) return parents;
  const isReached = reach !== undefined && !isStrict(parents) && strictness(reach) > strictness(parents);
  const limit = isReached ? reach : parents;
  return strictness(own) <= strictness(limit) ? own : limit;
}

/**
 * The mode of a teammate that asks for this one: at most what its lead lends. None delegates
 * itself.
 */
export const modeWithin = (wanted: PermissionMode, lent: PermissionMode): PermissionMode =>
  strictness(wanted) <= strictness(lent) && wanted !== "delegate" ? wanted : lent;

const withoutDelegating = (mode: WorkingMode): WorkingMode => (mode === "delegate" ? "default" : mode);

export function sessionModes(first: WorkingMode): Modes {
  let mode = first;
  let lent = withoutDelegating(first);
  let times = 0;
  return {
    now: () => mode,
    lends: () => lent,
    asksNobody: () => mode === "dontAsk",
    timesSet: () => times,
    set(wanted) {
      mode = wanted;
      if (wanted !== "delegate") lent = wanted;
      times += 1;
    },
  };
}

/**
 * The modes of an agent, at every call in the bounds of its parent's and with that of the
 * session's. What a person grants it counts as it is until the mode of the session is set anew.
 */
export function childModes(
  own: WorkingMode | undefined,
  parent: Modes,
  session: Modes,
  { winning = [], reach }: ModeBounds = {},
): Modes {
  let granted: { readonly mode: WorkingMode; readonly at: number } | undefined;
  let times = 0;
  const said = () => granted?.mode ?? own;
  const lifted = () => (granted?.at === session.timesSet() && !isStrict(session.lends()) ? granted.mode : undefined);
  const now = () => {
    const word = lifted();
    if (word !== undefined) return word;
    if (winning.includes(session.lends())) return session.lends();
    // The reach of agents is measured by the session, and bounded by the agents between.
    return boundMode(said(), parent.lends(), parent === session ? reach : undefined);
  };
  return {
    now,
    lends: () => withoutDelegating(now()),
    asksNobody: () => now() === "dontAsk" || (now() === "plan" && (said() === "dontAsk" || parent.asksNobody())),
    timesSet: () => times,
    set(mode) {
      granted = { mode, at: session.timesSet() };
      times += 1;
    },
  };
}
