export { assertGiven, type Shape } from "../given.ts";
export { assignmentBody } from "./assignment.ts";
export { assertInboxFits, assertMessageFits, maxBytes, maxMessageBytes } from "./bounds.ts";
export { type Message, mendedEntries, messagesIn, positionsOf } from "./inbox-messages.ts";
export { leftoverOf, removedTeamOf, temporaryOf } from "./leftover-names.ts";
export { assertLimits, defaultLimits, type LockLimits, lockUnavailable } from "./lock-limits.ts";
export { assertIdle, assertTeammate, isStranger, memberOf, nextColor, recipientOf, senderOf } from "./roster.ts";
export {
  assertStartable,
  type ChangePlan,
  changedTasks,
  neighboursOf,
  planChange,
  type TaskChange,
  type TaskTies,
  withoutTask,
} from "./task-change.ts";
export { type Claim, refusalOf, released } from "./task-claim.ts";
export { type Edge, type EdgeSide, inOrder } from "./task-edges.ts";
export { type TaskFault, taskFaults } from "./task-faults.ts";
export {
  holdsUp,
  isOpen,
  isThere,
  listedAmong,
  type ReadyTask,
  readyAmong,
  type TaskFile,
} from "./task-file.ts";
export { type TeamChange, type WatchedDirectory, watchedDirectories } from "./team-change.ts";
export { type Found, isTorn, isUnparsed, taskIn, unusable, type Verdict, verdictOn } from "./usable.ts";
