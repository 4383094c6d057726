type Variables = Readonly<Record<string, string>>;

const teams = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS";

/** Teams are there unless the variable is set and says no. */
const isOff = ({ [teams]: value = "1" }: Variables): boolean => /^(?:0|no|off|false|)$/i.test(value.trim());

/**
 * What commands of an agent find in their environment, whatever its place in a team: what the
 * session was given, what settings set, and the variables by which programs know who runs them, as
 * the reference client sets them. Whether a terminal is the agent's own says the given alone.
 */
export function agentEnvironment(given: Variables, settings: Variables = {}): Variables {
  const all = { ...given, ...settings };
  return { ...all, CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli", ...(isOff(all) ? {} : { [teams]: "1" }) };
}

/** Why nobody can be added to a team with these variables; undefined where that is not so. */
export const teamsRefusal = (variables: Variables): string | undefined =>
  isOff(variables)
    ? `teams are off here: ${teams} is set to no; unset it, or set it to 1, in the environment or in env of the settings`
    : undefined;
