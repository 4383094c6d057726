import type { z } from "zod";
import type { Revision } from "../revisions/revision.ts";

/** The input and output of a tool. A revision without the tool has no key under `input`. */
export interface ToolBoundary {
  readonly name: string;
  /** Older names under which the same call arrives. */
  readonly aliases: readonly string[];
  readonly input: Readonly<Partial<Record<Revision, z.ZodType>>>;
  /** The result data, if the protocol defines it; the text for the model is derived from it. */
  readonly output: Readonly<Partial<Record<Revision, z.ZodType>>>;
}

/** Types only. */
export const defineToolBoundary = <Boundary extends ToolBoundary>(boundary: Boundary): Boundary => boundary;
