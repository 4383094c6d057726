import type { z } from "zod";
import type { Revision } from "../revisions/revision.ts";

/** What a tool takes and what it gives. A revision that does not have the tool has no key under `input`. */
export interface ToolBoundary {
  readonly name: string;
  /** Older names under which the same call arrives. */
  readonly aliases: readonly string[];
  readonly input: Readonly<Partial<Record<Revision, z.ZodType>>>;
  /** The data of a result, where the protocol says what it is; the text that a model sees is made from it. */
  readonly output: Readonly<Partial<Record<Revision, z.ZodType>>>;
}

/** Types only. */
export const defineToolBoundary = <Boundary extends ToolBoundary>(boundary: Boundary): Boundary => boundary;
