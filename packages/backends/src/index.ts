export { type Choice, type ChooseDeps, chooseBackend, type DisplayMode } from "./choose.ts";
export {
  type BackendDeps,
  claudeTeammate,
  type Launch,
  type SpawnSpec,
  type TeammateProgram,
  type TroupeProgram,
  troupeTeammate,
} from "./launch.ts";
export { type Orphan, type Orphans, type OrphansDeps, openOrphans } from "./orphans.ts";
export { type BackendRecord, openRecords, type Records } from "./records.ts";
