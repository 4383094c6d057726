export { tellActive } from "./activity.ts";
export type { Backend, Observation, Spawned, TeammateSpec, TeamRef } from "./backend.ts";
export {
  begun,
  type Doing,
  type Doings,
  doingsIn,
  foldDoings,
  isAnyAtWork,
  momentOf,
  readDoings,
  stateOf,
} from "./doing.ts";
export { eventIn, type TeamEvent } from "./events.ts";
export type { SendResult } from "./handshakes/handshake.ts";
export type { PlanPolicy } from "./handshakes/plan.ts";
export { type ClientSeat, type ClientSeatDeps, type HeardRequest, takeClientSeat } from "./kinds/client-seat.ts";
export { personMember, type Screen } from "./kinds/person.ts";
export { type ProcessMemberDeps, processMember } from "./kinds/process.ts";
export { type LeadDeps, type LeadWatch, watchLead } from "./lead.ts";
export type {
  Decided,
  Delivered,
  Handshake,
  LedgerEntry,
  Opening,
  Outcome,
} from "./ledger/entry.ts";
export { isLedgerEntry } from "./ledger/entry.ts";
export { type LedgerFile, openLedgerFile } from "./ledger/file.ts";
export { type Asked, type Decision, emptyLedger, foldLedger, type LedgerState } from "./ledger/fold.ts";
export type { Grown } from "./ledger/grown.ts";
export type { Ledger } from "./ledger/ledger.ts";
export { memoryLedger } from "./ledger/memory.ts";
export { outcomeEvent, recorder, recordRequests } from "./ledger/recorded.ts";
export type { Incoming, Member, TurnEnd } from "./member.ts";
export { type Membership, type MembershipDeps, openMembership } from "./membership.ts";
export {
  type Ask,
  askNobody,
  type Badge,
  bubbleTo,
  type CallQuestion,
  denied,
  type Question,
  type Reply,
  takenBack,
} from "./person.ts";
export { tellReady, untilHeard, untilReady } from "./ready.ts";
export { answerRequest, type OpenRequest, openRequests } from "./requests.ts";
export type { Router } from "./router.ts";
export {
  type Added,
  createSpawner,
  type Recovered,
  removeMember,
  type Spawner,
  type SpawnerDeps,
  wasSpawned,
} from "./spawner.ts";
export { type GiveBack, type Supervision, type SupervisionDeps, superviseTeammates } from "./supervision.ts";
export { agreedToEnd, lateAnswer, teammateMessage } from "./words.ts";
