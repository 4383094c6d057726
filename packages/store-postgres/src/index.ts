export { type Checked, checkPostgresStore } from "./check.ts";
export { exportPostgresStore } from "./export.ts";
export { grantHost, type HostGrant, revokeHost } from "./hosts.ts";
export { importPostgresStore } from "./import.ts";
export { type Migrated, migratePostgresStore } from "./migrations.ts";
export { openPostgresStore, type PostgresStoreDeps } from "./postgres-store.ts";
