/** The flags by which our runtime joins a team as a member that is in its roster. */
export const flagsOf = (name: string, team: string): readonly string[] => [
  ...["--agent-id", `${name}@${team}`, "--agent-name", name, "--team-name", team, "--agent-color", "green"],
  ...["--parent-session-id", "none", "--agent-type", "general-purpose", "--model", "claude-opus-4-6"],
  ...["--permission-mode", "default"],
];
