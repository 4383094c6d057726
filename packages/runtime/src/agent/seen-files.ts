import { createHash } from "node:crypto";

/**
 * The files that an agent has read, so that it does not change what it has not seen. They are kept
 * in memory; after a restart the conversation tells them.
 */
export interface SeenFiles {
  /** The path is the real one, so that a file is the same by every link. */
  saw(path: string, digest: string): void;
  digestOf(path: string): string | undefined;
  /** For an agent that begins with what this one knows. */
  clone(): SeenFiles;
}

export function createSeenFiles(known: Iterable<readonly [string, string]> = []): SeenFiles {
  const digests = new Map(known);
  return {
    saw: (path, digest) => void digests.set(path, digest),
    digestOf: (path) => digests.get(path),
    clone: () => createSeenFiles(digests),
  };
}

/** Times are too coarse to tell two versions of a file apart, and change without it. */
export const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("base64");

/** Why a file may not be changed yet. */
export function whyUnseen(seen: SeenFiles, path: string, realPath: string, digest: string): string | undefined {
  const known = seen.digestOf(realPath);
  if (known === undefined) return `${path} has not been read yet; read it first, then change it.`;
  if (known !== digest) return `${path} has changed since it was read; read it again, then change it.`;
  return undefined;
}
