import type { HooksConfig } from "@troupe/protocol/hooks";

/**
 * Instructions for one sort of work, which the model asks for when it needs them, and a person
 * calls by name.
 */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** The hint for a person about its arguments. */
  readonly argumentHint?: string;
  /** False: only a person may call it. */
  readonly isForModel?: boolean;
  /** False: only the model may call it. */
  readonly isForUser?: boolean;
  /** The skill runs in its own agent, and the caller gets the report. */
  readonly isForked?: boolean;
  /** The type of that agent. */
  readonly agent?: string;
  /** The model of that agent. */
  readonly model?: string;
  /** All that agent may use. It bounds and grants nothing: what is in it is judged as ever. */
  readonly allowedTools?: readonly string[];
  /** Whether that agent's caller goes on meanwhile; absent, the revision says. */
  readonly background?: boolean;
  /** For as long as that agent lives. */
  readonly hooks?: HooksConfig;
  text(): Promise<string>;
}
