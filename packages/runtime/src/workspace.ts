/** A place of its own for an agent that must not get in the way of others. */
export interface Workspace {
  readonly path: string;
  readonly branch?: string;
  /** The commit that it began with. */
  readonly base?: string;
  /** Git does not know it: what is in it only the hook can tell. */
  readonly madeByHook?: true;
  /** It was there before, and is used as it was. */
  readonly existed?: boolean;
  /** The agent works there no more; says whether it changed something. Nothing is removed. */
  leave(): Promise<{ readonly isChanged: boolean }>;
  /**
   * Gives it back when nobody needs it any more: it is removed where nothing was changed in it, and
   * else it stays.
   */
  release(): Promise<{ readonly isKept: boolean }>;
}

/** What settings say of such places. */
export interface WorkspaceChoice {
  /** Begins with what is checked out, or with the newest of the main branch of `origin`. */
  readonly baseRef?: "head" | "fresh";
  /** Begins with this commit instead, which the repository has. */
  readonly commit?: string | undefined;
  /** Directories of the project that are linked into the place. */
  readonly symlinkDirectories?: readonly string[];
}

/** The port of a program that creates such directories. */
export interface Workspaces {
  /**
   * Throws with words that say what to do. A place of this name that is left from before is opened
   * again.
   */
  open(name: string, signal: AbortSignal, choice?: WorkspaceChoice): Promise<Workspace>;
}
