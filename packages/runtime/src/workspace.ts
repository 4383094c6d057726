/** A place of its own for an agent that must not get in the way of others. */
export interface Workspace {
  readonly path: string;
  readonly branch?: string;
  /**
   * Gives it back when the agent has ended: it is removed where nothing was changed in it, and else
   * it stays.
   */
  release(): Promise<{ readonly isKept: boolean }>;
}

/** The port of a program that creates such directories. */
export interface Workspaces {
  /**
   * Throws with words that say what to do. A place of this name that is left from before is opened
   * again.
   */
  open(name: string, signal: AbortSignal): Promise<Workspace>;
}
