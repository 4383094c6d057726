import type { Journal } from "../journal/journal.ts";
import { chooseModel, type ModelOverrides } from "../model/choice.ts";
import type { CacheKey } from "../model/frozen.ts";

export interface MainModelDeps {
  readonly journal: Pick<Journal, "state">;
  /** Of a conversation that is new. */
  readonly key: CacheKey;
  /** The model of the key was asked for: an earlier process of the session may have had another. */
  readonly isAsked: boolean;
  readonly modelOverrides?: ModelOverrides | undefined;
}

/** The model of the main conversation, which a person may change while it goes on. */
export interface MainModel {
  /** The key of what begins now. */
  key(): CacheKey;
  /** The model from the next request on; undefined while it is to be that of the journal. */
  switchedTo(): string | undefined;
  /** Takes an alias or an id, and gives the id. */
  switchTo(name: string): string;
}

export function mainModel({ journal, key, isAsked, modelOverrides }: MainModelDeps): MainModel {
  let switched = isAsked ? key.model : undefined;
  return {
    key: () => ({ ...key, model: switched ?? journal.state().prefix?.key.model ?? key.model }),
    switchedTo: () => switched,
    switchTo(name) {
      switched = chooseModel({ asked: name, overrides: { ...modelOverrides, ANTHROPIC_MODEL: undefined } });
      return switched;
    },
  };
}
