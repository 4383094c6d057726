import { type Revision, toJsonSchema } from "@troupe/protocol/published";
import type { Answer, Call } from "../command.ts";
import { schemasOf } from "./kinds.ts";

export async function run({ args, options }: Call<{ kind: string }, { revision?: Revision }>): Promise<Answer> {
  const found = schemasOf(args.kind, options.revision).at(-1);
  const document = found ? toJsonSchema(found.revision, args.kind, found.schema) : {};
  return { document, text: [{ verbatim: JSON.stringify(document, null, 2) }] };
}
