import { z } from "zod";
import { type Problem, pointer, problemsOf } from "../problems.ts";
import { HookGroup, type HookHandler, type HooksConfig, hookTypes, KnownHook } from "./config.ts";
import { compileMatcher } from "./matcher.ts";

/** A hook configuration as it was found. */
export interface ReadHooks {
  /** The valid part; it may be narrower than what was written, never wider. */
  readonly hooks: HooksConfig;
  readonly problems: readonly Problem[];
}

const Events = z.record(z.string(), z.unknown());
const Groups = z.array(z.unknown());
const Shell = z.looseObject({ matcher: HookGroup.shape.matcher, hooks: Groups });
const Handler = z.looseObject({ type: z.string() });

/**
 * Reads the value of `hooks`. An invalid handler is dropped whole: without its bad field, such as a
 * rule or a matcher, it could run where it should not. `at` is the position of the value in its
 * document.
 */
export function readHooks(value: unknown, at: readonly PropertyKey[] = []): ReadHooks {
  const problems: Problem[] = [];
  const isSound = (schema: z.ZodType, found: unknown, place: readonly PropertyKey[]): boolean => {
    const parsed = schema.safeParse(found);
    if (!parsed.success) problems.push(...problemsOf(parsed.error, found, place));
    return parsed.success;
  };

  const readHandler = (found: unknown, place: readonly PropertyKey[]): HookHandler[] => {
    const type = (found as Partial<HookHandler> | null)?.type;
    const schema = hookTypes.some((known) => known === type) ? KnownHook : Handler;
    return isSound(schema, found, place) ? [found as HookHandler] : [];
  };
  const readGroup = (found: unknown, place: readonly PropertyKey[]): HookGroup[] => {
    if (!isSound(Shell, found, place)) return [];
    const group = found as z.infer<typeof Shell>;
    const { problem } = compileMatcher(group.matcher, pointer([...place, "matcher"]));
    if (problem) problems.push(problem);
    const hooks = group.hooks.flatMap((handler, index) => readHandler(handler, [...place, "hooks", index]));
    return [{ ...group, hooks }];
  };

  if (!isSound(Events, value, at)) return { hooks: {}, problems };
  const events = Object.entries(value as z.infer<typeof Events>).flatMap(([event, groups]) => {
    const place = [...at, event];
    if (!isSound(Groups, groups, place)) return [];
    const read = (groups as unknown[]).flatMap((group, index) => readGroup(group, [...place, index]));
    return [[event, read] as const];
  });
  return { hooks: Object.fromEntries(events), problems };
}
