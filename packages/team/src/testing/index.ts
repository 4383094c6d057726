export { memoryLedger } from "../ledger/memory.ts";
export { type BackendDouble, backendDouble } from "./backend-double.ts";
export { type BackendEngine, backendLaws, type JudgeBackendDeps, judgeBackend } from "./backend-laws.ts";
export { acpDouble, mcpDouble, personDouble, processDouble, sessionDouble } from "./doubles.ts";
export { type JudgeLedgerDeps, judgeLedger, type LedgerEngine, ledgerLaws } from "./ledger-laws.ts";
export { type JudgeMemberDeps, judgeLaw, judgeMember, lawsOf, type MemberLaw, memberLaws } from "./member-laws.ts";
export type { Candidate, CandidateDeps, MemberEngine, MemberScene, WholeCandidate } from "./scene.ts";
