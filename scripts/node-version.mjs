/** The oldest Node that Troupe runs on, as every package.json says under `engines`. */
export const OLDEST_NODE = "20.19";

/**
 * What to tell someone whose Node is too old; undefined when it is not.
 * @param {string} version as in process.versions.node
 */
export function nodeTooOld(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split(".").map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Troupe needs Node ${OLDEST_NODE} or newer, and this is Node ${version}. See nodejs.org, or your version manager.`;
}
