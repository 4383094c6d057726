import type { Revision } from "@troupe/protocol/published";
import type { Answer, Call } from "../command.ts";
import { byRevision } from "./kinds.ts";

export async function run({ options }: Call<object, { revision?: Revision }>): Promise<Answer> {
  const kinds = new Map<string, { kind: string; title: string; revisions: Revision[] }>();
  for (const [revision, schemas] of byRevision()) {
    if (options.revision !== undefined && options.revision !== revision) continue;
    for (const [kind, schema] of schemas) {
      const { title = kind } = schema.meta() ?? {};
      const before = kinds.get(kind)?.revisions ?? [];
      kinds.set(kind, { kind, title, revisions: [...before, revision] });
    }
  }
  const found = [...kinds.values()];
  return {
    document: { schemas: found },
    text: [
      { rows: found.map(({ kind, title, revisions }) => [{ text: kind, style: "bold" }, title, revisions.join(" ")]) },
    ],
  };
}
