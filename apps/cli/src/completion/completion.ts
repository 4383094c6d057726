import { TroupeError } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { hint } from "../nearest.ts";
import { bashScript } from "./bash.ts";
import { choicesOf } from "./choices.ts";
import { fishScript } from "./fish.ts";
import { namesAfter } from "./names.ts";
import { zshScript } from "./zsh.ts";

const scripts = new Map([
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
]);

export async function run(call: Call<{ shell: string; words: readonly string[] }>): Promise<Answer> {
  const { args, commands } = call;
  const { shell } = args;
  if (shell === "names") {
    const found = await namesAfter(call, args.words);
    const script = found.map(([name, meaning]) => (meaning ? `${name} ${meaning}` : name)).join("\n");
    return { document: { shell, script }, text: found.length === 0 ? [] : [{ verbatim: script }] };
  }
  const write = scripts.get(shell);
  if (!write) {
    const message = `there is no completion for ${shell}${hint(shell, scripts.keys()) || ":"} use bash, zsh or fish`;
    throw new TroupeError("arguments_invalid", message, { shell });
  }
  if (args.words.length > 0)
    throw new TroupeError(
      "arguments_invalid",
      `${JSON.stringify(args.words[0])} is one argument too many: words follow names alone`,
    );
  const script = write(choicesOf(commands));
  return { document: { shell, script }, text: [{ verbatim: script.trimEnd() }] };
}
