import { join, relative } from "node:path";

/** The bundled form of a program of these tests: bundle.mjs writes it before they begin. */
export const programAt = (path: string): string =>
  join(import.meta.dirname, "dist", relative(import.meta.dirname, path));
