import { PermissionMode } from "@troupe/protocol";
import { z } from "zod";
import type { KnownAgent } from "../project/definitions.ts";

/**
 * Bounds that one agent sets to those it starts: the tools of its definition, its mode, and whether
 * somebody waits for it.
 */
export const Bound = z.object({
  tools: z.array(z.string()).optional(),
  disallowedTools: z.array(z.string()).optional(),
  memory: z.string().optional(),
  permissionMode: PermissionMode.optional(),
  isBackground: z.boolean(),
  withoutMcp: z.boolean().optional(),
});
export type Bound = Readonly<z.infer<typeof Bound>>;

export const boundOf = (
  {
    tools,
    disallowedTools,
    memory,
    permissionMode,
  }: Pick<KnownAgent, "tools" | "disallowedTools" | "memory" | "permissionMode">,
  isBackground: boolean,
): Bound => Bound.parse({ tools, disallowedTools, memory, permissionMode, isBackground });

/**
 * The bounds that stand beside a transcript: none where none were written, undefined where they
 * cannot be read.
 */
export function boundsIn(meta: Readonly<Record<string, unknown>>): readonly Bound[] | undefined {
  return Object.hasOwn(meta, "bounds") ? z.array(Bound).safeParse(meta["bounds"]).data : [];
}
