export { type ProcessBackendDeps, processBackend } from "./process.ts";
