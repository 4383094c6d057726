import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { TroupeError } from "@troupe/protocol";
import { openTrust } from "@troupe/runtime";
import { type Answer, type Call, exits } from "../command.ts";

interface TrustOptions {
  readonly remove?: boolean;
  readonly check?: boolean;
}

export async function run(call: Call<{ folder: string | undefined }, TrustOptions>): Promise<Answer> {
  const { check, remove } = call.options;
  if (check && remove)
    throw new TroupeError("arguments_invalid", "--check changes nothing and --remove does: leave out one of them");
  const named = resolve(call.cwd, call.args.folder ?? ".");
  const folder = placeOf(named);
  if (folder === undefined) return { exit: exits.absent, remark: `there is no folder ${named}: name one that exists` };
  const trust = openTrust(call.root);
  if (!check) {
    const question = `Let the settings in ${folder} run commands and allow calls?`;
    const refusal = remove || trust.isTrusted(folder) ? undefined : await call.confirm(question);
    if (refusal) return refusal;
    if (remove) trust.distrust(folder);
    else trust.trust(folder);
  }
  const isTrusted = trust.isTrusted(folder);
  const above = remove && isTrusted ? ": a folder above it is trusted, remove that too" : "";
  return {
    document: { folder, isTrusted },
    text: [`${folder} is ${isTrusted ? "trusted" : "not trusted"}${above}`],
    exit: (check && !isTrusted) || above ? exits.failed : exits.done,
  };
}

function placeOf(folder: string): string | undefined {
  try {
    return realpathSync.native(folder);
  } catch {
    return undefined;
  }
}
