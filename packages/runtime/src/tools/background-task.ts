/** Work that goes on while the agent does something else. */
export interface BackgroundTask {
  readonly id: string;
  /** Such as `local_bash`. */
  readonly type: string;
  /** What it runs: the command of a shell, the description of an agent. */
  readonly command: string;
  readonly outputFile: string;
  status(): BackgroundStatus;
  exitCode(): number | undefined;
  /** What it said up to now, or an excerpt of that. */
  output(): string;
  /** Never rejects. */
  readonly ended: Promise<void>;
  /** The model knows how it ends from elsewhere: it is not told again. */
  markTold(): void;
  /** Resolves when it has ended. */
  stop(): Promise<void>;
}

export type BackgroundStatus = "running" | "completed" | "failed" | "killed";

/** Whoever keeps tasks: shells here, agents elsewhere. */
export interface BackgroundTasks {
  find(id: string): BackgroundTask | undefined;
  running(): readonly BackgroundTask[];
}
