export { maxBytes, publish, readBytes, readSettled } from "./files/document.ts";
export { type Inbox, type InboxDeps, maxMessageBytes, openInbox, type Waiting } from "./files/inbox.ts";
export { defaultLimits, type Held, type LockLimits, withLock } from "./files/lock.ts";
export { maxMembers, openRoster, type Roster, type RosterDeps } from "./files/roster.ts";
export type { Claim, NewTeam, Participant, Sight, Store, TaskChange, Tasks, Team } from "./store.ts";
