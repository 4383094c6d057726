import { tmpdir } from "node:os";

/** A temporary directory that is in memory, where scripts/leftovers.ts found room for one. */
export const memory: string = process.env["TROUPE_MEMORY"] ?? tmpdir();
