import { examine, type Mending, mend } from "@troupe/store";
import { type Answer, type Call, exits } from "../command.ts";
import { type Block, counted } from "../paint.ts";
import { missingRoot } from "../team/show-all.ts";

export async function run(call: Call<object, { mend?: boolean }>): Promise<Answer> {
  const { root } = call;
  const missing = missingRoot(root);
  if (missing) return missing;
  const findings = await examine({ root });
  const mendable = findings.filter(({ isMendable }) => isMendable).length;
  if (!call.options.mend || mendable === 0)
    return answerOf(
      root,
      findings.map((finding) => ({ ...finding, isMended: false })),
    );
  const refusal = await call.confirm(`Mend ${mendable} of ${counted(findings.length, "problem")} under ${root}?`);
  if (refusal) return refusal;
  return answerOf(root, await mend({ root }));
}

function answerOf(root: string, cases: readonly Mending[]): Answer {
  const left = cases.filter(({ isMended }) => !isMended);
  const canMend = left.some(({ isMendable, reason }) => isMendable && reason === undefined);
  const verdict =
    left.length === 0
      ? "nothing is wrong"
      : `${counted(left.length, "problem")}${canMend ? ": --mend mends what is marked so" : ""}`;
  return {
    document: { root, findings: cases },
    text: [...cases.flatMap(caseText), verdict],
    exit: left.length === 0 ? exits.done : exits.failed,
  };
}

function caseText({ path, message, fix, isMendable, isMended, reason }: Mending): Block[] {
  const head: Block = [
    isMended ? { text: "mended  ", style: "green" } : { text: "wrong   ", style: "red" },
    `${path}: ${message}`,
  ];
  if (isMended) return [head];
  const way = isMendable ? "--mend does this" : "to mend it";
  return [head, `        ${way}: ${fix}`, ...(reason === undefined ? [] : [`        not mended: ${reason}`])];
}
