export { type Identity, teammateHere } from "./identity.ts";
export { type InProcessDeps, inProcessBackend, type Opening, type TeammateSession } from "./in-process.ts";
