import { TroupeError } from "@troupe/protocol";
import { publishedSchemas, type Revision, revisions } from "@troupe/protocol/published";
import { hint } from "../nearest.ts";

type Schemas = ReturnType<typeof publishedSchemas>;

/** The published schemas, by revision, the older first. */
export const byRevision = (): ReadonlyMap<Revision, Schemas> =>
  new Map(revisions.map((revision) => [revision, publishedSchemas(revision)]));

/**
 * Returns the schema of a kind in each revision that has it; throws for an unknown kind and names
 * the nearest.
 */
export function schemasOf(kind: string, only?: Revision) {
  const all = [...byRevision()].filter(([revision]) => only === undefined || revision === only);
  const found = all.flatMap(([revision, schemas]) => {
    const schema = schemas.get(kind);
    return schema ? [{ revision, schema }] : [];
  });
  if (found.length > 0) return found;
  const names = new Set(all.flatMap(([, schemas]) => [...schemas.keys()]));
  const where = only ? ` in ${only}` : "";
  const message = `there is no schema ${kind}${where}${hint(kind, names) || ":"} troupe schema list names all`;
  throw new TroupeError("arguments_invalid", message, { kind });
}
