export { maxBytes, publish, readBytes, readSettled } from "./files/document.ts";
export { type Inbox, type InboxDeps, maxMessageBytes, openInbox, type Waiting } from "./files/inbox.ts";
export { defaultLimits, type Held, type LockLimits, withLock } from "./files/lock.ts";
