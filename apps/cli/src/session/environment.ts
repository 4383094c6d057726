import type { Call } from "../command.ts";

/** The variables that are set, for what takes no others. */
export const setVariables = ({ environment }: Pick<Call, "environment">): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined));
