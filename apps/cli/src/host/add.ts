import type { Answer, Call } from "../command.ts";
import { databaseOf } from "../store/database.ts";

type AddCall = Call<{ role: string }, { readonly label?: readonly string[] }>;

export async function run(call: AddCall): Promise<Answer> {
  const { url, name } = databaseOf(call);
  const { role } = call.args;
  const labels = call.options.label ?? [];
  const { admitHost } = await import("@troupe/store-postgres");
  await admitHost({ url, role, labels });
  return {
    document: { store: name, role, labels },
    text: [`${role} may serve as a host: troupe host, on its machine and with this role`],
  };
}
