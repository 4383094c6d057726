import type { Revision } from "../requirement.ts";
import type { Params } from "../target.ts";
import type { FoundTeamDraft } from "./found-team.ts";

/** One line of a data case; exactly one of the words before `in` says what it does. */
export interface Step {
  /**
   * A method; the team is the case's own unless it is named. It must succeed, unless `error` says
   * how it fails. A `document` for validate stands for its text.
   */
  readonly call?: string;
  readonly with?: Params;
  /** A name, some of which one is right, or `any`. */
  readonly error?: string | readonly string[];
  /** It may end either way; what is on disk decides. */
  readonly orFails?: boolean;
  /** Of the result. */
  readonly returns?: unknown;
  /** Names for parts of the result, by JSON pointer. */
  readonly save?: Readonly<Record<string, string>>;

  /** A file below the root, judged by what follows. */
  readonly disk?: string;
  /** A JSON pointer into it; -1 is the last element. */
  readonly at?: string;
  readonly has?: unknown;
  /** Fields that are not there. */
  readonly lacks?: readonly string[];
  /** All fields, in this order. */
  readonly keys?: readonly string[];
  /** These fields are there and stand in this order; others may stand between them. */
  readonly order?: readonly string[];
  /** JSON pointers to parts that are equal. */
  readonly same?: readonly string[];
  /** A regular expression for the text of the file. */
  readonly text?: string;
  /** There is no such file or directory. */
  readonly absent?: boolean;
  /** The bits of its mode that must not be set, in octal. */
  readonly withoutMode?: string;

  /** A file that another program writes now. */
  readonly write?: string;
  readonly json?: unknown;
  readonly bytes?: string;
  /** A file or directory that another program removes now. */
  readonly remove?: string;
  /** An empty directory that another program makes now. */
  readonly makeDirectory?: string;

  /** The exact names in this directory. */
  readonly directory?: string;
  readonly names?: unknown;
  /** One of its files has this in its text, and no name that ends in `.json`. */
  readonly contains?: string;

  /** Keeps the bytes of everything below the root, for `unchanged`. */
  readonly remember?: boolean;
  /** These files and directories are byte for byte as they were remembered; locks do not count. */
  readonly unchanged?: readonly string[];

  /** Another process of the target goes on. */
  readonly restart?: boolean;

  /** So many times, with `$i` from 1, and `$number` for it as a string. */
  readonly repeat?: number;
  readonly steps?: readonly Step[];

  /** In this revision alone. */
  readonly in?: Revision;
}

/** A check as data. */
export interface Case {
  readonly id: string;
  readonly title: string;
  readonly requirements: readonly string[];
  readonly revisions?: readonly Revision[];
  readonly features?: readonly string[];
  /**
   * The state before the first step: `made` by the target's own calls (the usual case), `found` as
   * another client left it, or nothing.
   */
  readonly given?: FoundTeamDraft & { readonly team?: "made" | "found" | "none" };
  readonly steps: readonly Step[];
}
