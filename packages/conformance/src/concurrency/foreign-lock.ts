import { closeSync, lstatSync, mkdirSync, openSync, rmdirSync, rmSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { checkFailure, untestable } from "../fault.ts";
import type { Declaration } from "../target.ts";

/** The target's declaration of how it and others exclude each other. */
export interface Convention {
  readonly staleMs: number;
  lockOf(file: string): string;
  /** Takes the lock of a file as another program would. */
  hold(file: string): ForeignLock;
}

/** A lock that the suite holds. */
export interface ForeignLock {
  /** Lets it look so old. */
  age(ms: number): void;
  /** The age of the lock by its timestamp; undefined once it is gone. */
  ageMs(): number | undefined;
  /** Whether it is still the one that was taken. */
  isHeld(): boolean;
  release(): void;
}

/** Other implementations take a lock over that is older. */
export const commonStaleMs = 10_000;

/**
 * The target's declaration of its locks. Fails the check if it is missing, skips it if the suite
 * cannot take such locks.
 */
export function conventionOf({ quirks }: Declaration): Convention {
  const { lockStyle, lockPath, staleMs } = quirks;
  if (!lockStyle || !lockPath?.includes("<file>") || staleMs === undefined) {
    throw checkFailure("hello does not say how locks are taken", {
      expected: "quirks lockStyle, lockPath with <file>, and staleMs",
      actual: quirks,
    });
  }
  if (lockStyle !== "mkdir" && lockStyle !== "file") {
    throw untestable(`the suite cannot take a lock of the style ${lockStyle}`);
  }
  const isDirectory = lockStyle === "mkdir";
  const lockOf = (file: string) => lockPath.replaceAll("<file>", file);
  return { staleMs, lockOf, hold: (file) => holdLock(lockOf(file), isDirectory) };
}

/** The path of a file's lock; undefined for a target whose locks are invisible or undeclared. */
export function visibleLockOf({ quirks }: Declaration, file: string | undefined): string | undefined {
  const { lockStyle, lockPath, staleMs } = quirks;
  if (file === undefined || staleMs === undefined || (lockStyle !== "mkdir" && lockStyle !== "file")) return undefined;
  return lockPath?.replaceAll("<file>", file);
}

function holdLock(lock: string, isDirectory: boolean): ForeignLock {
  mkdirSync(dirname(lock), { recursive: true });
  if (isDirectory) mkdirSync(lock);
  else closeSync(openSync(lock, "wx"));
  const find = () => lstatSync(lock, { throwIfNoEntry: false });
  let own = find();
  const isHeld = () => {
    const found = find();
    return found?.ino === own?.ino && found?.mtimeMs === own?.mtimeMs;
  };
  return {
    isHeld,
    age(ms) {
      const then = new Date(Date.now() - ms);
      utimesSync(lock, then, then);
      own = find();
    },
    ageMs() {
      const found = find();
      return found && Date.now() - found.mtimeMs;
    },
    release() {
      if (!isHeld()) return;
      if (isDirectory) rmdirSync(lock);
      else rmSync(lock);
    },
  };
}
