import { currentModels } from "./catalog.ts";

type Family = keyof typeof currentModels;

/**
 * The variables of the environment that decide about models, under their own names; an empty one
 * counts as absent.
 */
export interface ModelOverrides {
  readonly ANTHROPIC_MODEL?: string | undefined;
  readonly ANTHROPIC_DEFAULT_FABLE_MODEL?: string | undefined;
  readonly ANTHROPIC_DEFAULT_OPUS_MODEL?: string | undefined;
  readonly ANTHROPIC_DEFAULT_SONNET_MODEL?: string | undefined;
  readonly ANTHROPIC_DEFAULT_HAIKU_MODEL?: string | undefined;
  readonly ANTHROPIC_SMALL_FAST_MODEL?: string | undefined;
  readonly CLAUDE_CODE_SUBAGENT_MODEL?: string | undefined;
}

/** Inputs to the choice of an agent's model. */
export interface ModelChoice {
  /**
   * The model that was asked for, by alias or id: the call's word, or without one the definition's;
   * for the main conversation the command line's.
   */
  readonly asked?: string | undefined;
  /** The id of the model that starts the agent; the main conversation has none. */
  readonly parent?: string | undefined;
  readonly overrides?: ModelOverrides;
}

/**
 * The id of the model to use. A subagent: CLAUDE_CODE_SUBAGENT_MODEL, what was asked for, the
 * parent's. The main conversation: what was asked for, ANTHROPIC_MODEL, the current Sonnet. A fork
 * asks nobody: another model could not read its parent's cache.
 */
export function chooseModel({ asked, parent, overrides = {} }: ModelChoice): string {
  const wishes =
    parent === undefined
      ? [asked, overrides.ANTHROPIC_MODEL, "sonnet"]
      : [overrides.CLAUDE_CODE_SUBAGENT_MODEL, asked, parent];
  const wish = wishes.map((one) => one?.trim()).find((one) => one && one !== "inherit");
  return idOf(wish ?? "sonnet", overrides);
}

/** The aliases of models, each with the id that it stands for. */
export const modelAliases = (overrides: ModelOverrides): readonly (readonly [alias: string, id: string])[] =>
  Object.keys(currentModels).map((alias) => [alias, idOf(alias, overrides)]);

/**
 * The id that an alias stands for; the environment may say another one. What is no alias is taken
 * as an id.
 */
function idOf(name: string, overrides: ModelOverrides): string {
  const alias = name.toLowerCase();
  if (!isFamily(alias)) return name;
  const meant: Record<Family, readonly (string | undefined)[]> = {
    fable: [overrides.ANTHROPIC_DEFAULT_FABLE_MODEL],
    opus: [overrides.ANTHROPIC_DEFAULT_OPUS_MODEL],
    sonnet: [overrides.ANTHROPIC_DEFAULT_SONNET_MODEL],
    haiku: [overrides.ANTHROPIC_DEFAULT_HAIKU_MODEL, overrides.ANTHROPIC_SMALL_FAST_MODEL],
  };
  return meant[alias].map((one) => one?.trim()).find(Boolean) ?? currentModels[alias];
}

const isFamily = (name: string): name is Family => Object.hasOwn(currentModels, name);
