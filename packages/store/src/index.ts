export { maxBytes } from "./files/document.ts";
export { type FileStoreDeps, openFileStore } from "./files/file-store.ts";
export { type Inbox, type InboxDeps, type Message, maxMessageBytes, openInbox } from "./files/inbox.ts";
export { defaultLimits, type Held, type Lease, type LockLimits, takeLease, withLock } from "./files/lock.ts";
export { publish } from "./files/publication.ts";
export { maxMembers } from "./files/roster.ts";
export { openTasks, type TasksDeps } from "./files/tasks.ts";
export { type Place, watchDirectories } from "./files/watch.ts";
export type { Change, Claim, NewTeam, Participant, Sight, Store, TaskChange, Tasks, Team } from "./store.ts";
