import { TroupeError } from "@troupe/protocol";
import type { Call } from "../command.ts";

/** The variables that are set, for what takes no others. */
export const setVariables = ({ environment }: Pick<Call, "environment">): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** What asks a model says first that it cannot. */
export function assertKey(environment: Call["environment"]): void {
  if (environment["ANTHROPIC_API_KEY"] || environment["ANTHROPIC_AUTH_TOKEN"]) return;
  const message =
    "there is no key for the Messages API: set ANTHROPIC_API_KEY in the environment (troupe demo needs none)";
  throw new TroupeError("arguments_invalid", message);
}
