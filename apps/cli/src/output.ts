import { type Answer, type Exit, exits } from "./command.ts";
import type { Complaint } from "./complaint.ts";
import { jsonText } from "./json.ts";
import { paint, paintedPieces } from "./paint.ts";
import { type Environment, type Output, screenOf } from "./terminal.ts";

export interface OutputDeps {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly isJson: boolean;
  readonly isDebug: boolean;
  /** One document per line, for live commands. */
  readonly isLive: boolean;
}

/** Prints answers and errors. */
export function openOutput({ stdout, stderr, env, isJson, isDebug, isLive }: OutputDeps) {
  /** False when the reader has closed the output. */
  const put = (output: Output, text: string) =>
    new Promise<boolean>((done) => {
      output.write(text, (error) => done(!error));
    });
  const write = (output: Output, text: string) => put(output, `${text}\n`);

  /** Prints an error as one line; with `--debug` also its code, details and stack. */
  async function complain({ message, exit, code, details, stack }: Complaint): Promise<Exit> {
    const line = message.replaceAll(/\s*\n\s*/g, " ");
    const more = { ...(isDebug && { details, stack }) };
    if (isJson) await write(stderr, jsonText({ error: { code, message: line, exit, ...more } }));
    else {
      await write(
        stderr,
        paint([`troupe: ${line}`], { ...plain, columns: (stderr.isTTY && stderr.columns) || Infinity }),
      );
      if (isDebug)
        await write(
          stderr,
          paint([`  code: ${code}`, `  details: ${jsonText(details ?? {})}`, ...linesOf(stack)], plain),
        );
    }
    return exit;
  }

  /** Prints a notice for people, which is not an error and does not look like one. */
  async function note(message: string): Promise<void> {
    const line = message.replaceAll(/\s*\n\s*/g, " ");
    if (isJson) await write(stderr, jsonText({ notice: { message: line } }));
    else await write(stderr, paint([{ text: `note: ${line}`, style: "dim" }], screenOf(stderr, env)));
  }

  /** Prints an answer, then runs `afterwards`; `widest` limits the width of prose such as help. */
  async function print(answer: Answer, widest = Infinity): Promise<Exit> {
    const { document, text = [], remark, exit = exits.done, afterwards } = answer;
    let isTaken = true;
    if (isJson && document) isTaken = await write(stdout, jsonText(document, isLive ? undefined : 2));
    if (!isJson) {
      const { columns, hasColor } = screenOf(stdout, env);
      let before = "";
      for (const piece of paintedPieces(text, { columns: Math.min(columns, widest), hasColor })) {
        if (before !== "") isTaken = await put(stdout, before);
        if (!isTaken) break;
        before = piece;
      }
      if (before !== "" && isTaken) isTaken = await write(stdout, before);
    }
    if (remark !== undefined && !(isJson && document))
      await (exit === exits.done ? note(remark) : complain({ message: remark, exit, code: "refused" }));
    if (isTaken) await afterwards?.();
    return exit;
  }

  return { print, complain, note };
}

const plain = { columns: Infinity, hasColor: false };
const linesOf = (stack = ""): string[] => stack.split("\n").map((line) => `  ${line}`);
