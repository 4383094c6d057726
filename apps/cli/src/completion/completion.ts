import { TroupeError } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { hint } from "../nearest.ts";
import { bashScript } from "./bash.ts";
import { choicesOf } from "./choices.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

const scripts = new Map([
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
]);

export async function run({ args: { shell }, commands }: Call<{ shell: string }>): Promise<Answer> {
  const write = scripts.get(shell);
  if (!write) {
    const message = `there is no completion for ${shell}${hint(shell, scripts.keys()) || ":"} use bash, zsh or fish`;
    throw new TroupeError("arguments_invalid", message, { shell });
  }
  const script = write(choicesOf(commands));
  return { document: { shell, script }, text: [{ verbatim: script.trimEnd() }] };
}
