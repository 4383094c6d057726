import { TroupeError } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { databaseOf } from "../store/database.ts";

export async function run(call: Call<{ role: string }>): Promise<Answer> {
  const { url, name } = databaseOf(call);
  const { role } = call.args;
  const { dismissHost } = await import("@troupe/store-postgres");
  if (!(await dismissHost({ url, role })))
    throw new TroupeError("arguments_invalid", `no host is called ${role}: troupe host list shows all`, { role });
  return { document: { store: name, role }, text: [`${role} is no host any more, and writes for nobody`] };
}
