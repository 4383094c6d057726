import type { Start } from "@troupe/process";

/** Where a confined program may write. */
export interface WritablePlaces {
  /**
   * Directories, where links lead; what decides about other programs in them, such as `.git`, stays
   * as it is.
   */
  readonly writable: readonly string[];
  /** A directory of its own for temporary files, which exists. */
  readonly temporary: string | undefined;
}

/** A way of this system to run a program read-only and without network. */
export interface Confinement {
  /** With its version, such as `bubblewrap 0.8.0`. */
  readonly name: string;
  /**
   * The system itself ends what a confined program leaves behind, at once and without exception.
   */
  readonly endsAll: boolean;
  /** The same start, confined. */
  confined(start: Start, places: WritablePlaces): Start;
  /**
   * Why the program was not run: the confinement itself failed and said this; undefined where it
   * says nothing of the kind.
   */
  faultIn(stderr: string): string | undefined;
}

const refusals =
  /Read-only file system|Operation not permitted|Network is unreachable|name resolution|Could not resolve|Couldn't connect/i;

/** A note to the model about a confined command that failed, where the confinement may be why. */
export const confinedNote = ({ name }: Confinement, output: string): string =>
  refusals.test(output)
    ? `It ran read-only and without network (${name}), like every command that only reads and that no rule allows. If it must write ` +
      "or use the network, the user has to allow it: a rule for Bash in permissions.allow lets it run unconfined."
    : "";
