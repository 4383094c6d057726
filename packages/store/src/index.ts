export { maxBytes, publish, readBytes, readSettled } from "./files/document.ts";
export { defaultLimits, type Held, type LockLimits, withLock } from "./files/lock.ts";
