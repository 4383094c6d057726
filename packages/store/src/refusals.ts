import { TroupeError } from "@troupe/protocol";

// The errors with which every engine refuses the same calls.

export function teamExists(name: string): TroupeError {
  return new TroupeError("team_exists", `there is a team called ${name}: use it, or choose another name`, { name });
}

/** For a key under which a team was made that has ended. */
export function teamRemoved(name: string): TroupeError {
  const message = `the team ${name} that was made under this key is gone: choose another key to make one anew`;
  return new TroupeError("team_unknown", message, { name });
}

/** For a handle of a team that has ended. */
export const teamGone = (name: string): TroupeError =>
  new TroupeError("team_unknown", `there is no team ${name} any more: list the teams`, { name });

export function sessionLeading(sessionId: string, name: string): TroupeError {
  const message = `the session ${sessionId} leads ${name} already: end that team first`;
  return new TroupeError("session_leading", message, { sessionId, name });
}

export function memberUnknown(name: string): TroupeError {
  const message = `${JSON.stringify(name)} is no member of the team: let it join first`;
  return new TroupeError("member_unknown", message, { name });
}

export function leaseLost(path: string, cause?: unknown): TroupeError {
  const message = `the lease of ${path} was released, or taken over while its holder was stopped; nothing was taken or written: receive again`;
  return new TroupeError("lease_lost", message, { path }, cause);
}
