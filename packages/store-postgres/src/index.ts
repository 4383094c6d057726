export { admitHost, dismissHost, type Host, type HostAdmission, lookAtHosts } from "./admission.ts";
export { type Checked, checkPostgresStore } from "./check.ts";
export { type HostDesk, type HostOffer, type HostReport, openHostDesk } from "./desk.ts";
export { exportPostgresStore } from "./export.ts";
export { grantHost, type HostGrant, revokeHost } from "./hosts.ts";
export { importPostgresStore } from "./import.ts";
export { type Migrated, migratePostgresStore } from "./migrations.ts";
export { openPostgresStore, type PostgresStore, type PostgresStoreDeps } from "./postgres-store.ts";
export type { AskedSpawn, Spawns } from "./spawns.ts";
