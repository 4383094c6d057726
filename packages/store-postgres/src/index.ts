export { type Migrated, migratePostgresStore } from "./migrations.ts";
export { openPostgresStore, type PostgresStoreDeps } from "./postgres-store.ts";
