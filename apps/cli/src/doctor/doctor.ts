import { tmpdir } from "node:os";
import { type FoundConfinement, findConfinement } from "@troupe/runtime";
import { examine, type Finding, mend } from "@troupe/store/files";
import { bridgesOf, bridgeText } from "../bridge/behind.ts";
import { type Answer, type Call, exits } from "../command.ts";
import { counted, type Printed, type Span } from "../paint.ts";
import { checked } from "../store/check.ts";
import { chosenStore } from "../store-choice.ts";
import { missingRoot } from "../team/show-all.ts";
import { findHosts } from "./hosts.ts";
import { type Case, findOrphans } from "./orphans.ts";
import { type Remedy, remedyOf } from "./remedy.ts";

type DoctorCall = Call<object, { fix?: boolean; prune?: boolean }>;

/** Reports what is wrong, and what confines the read-only commands of sessions. */
export async function run(call: DoctorCall): Promise<Answer> {
  const answer = await examineAll(call);
  if (!answer.document) return answer;
  const found = await findConfinement({ environment: call.environment, temporary: tmpdir() });
  const bridges = await bridgesOf(call);
  return {
    ...answer,
    document: { ...answer.document, protection: protectionOf(found), bridges },
    text: [protectionText(found), ...bridges.flatMap((one) => bridgeText(one, call.now())), ...(answer.text ?? [])],
  };
}

const protectionOf = ({ confinement, ...rest }: FoundConfinement) =>
  confinement ? { confinement: confinement.name } : { confinement: null, ...rest };

const protectionText = (found: FoundConfinement): Printed => [
  { text: "note    ", style: "dim" },
  found.confinement
    ? `read-only commands of sessions run without write and network access: ${found.confinement.name}`
    : `read-only commands of sessions are not confined: ${found.why}`,
];

/**
 * Reports what is wrong with the files of all teams, and which teammates a dead lead left; fixes
 * the one and ends the other on request.
 */
export async function examineAll(call: DoctorCall): Promise<Answer> {
  const { root, options } = call;
  const missing = missingRoot(call);
  if (missing) return missing;
  const { orphans, unreadable } = await findOrphans(call);
  const findings = (await examined(call)).map((finding) => ({ ...finding, isMended: false }));
  const mendable = findings.filter(({ isMendable }) => isMendable).length;
  const isFixed = options.fix === true && mendable > 0;
  const ownerless = orphans.filter(({ found }) => found.kind === "teammate_orphaned");
  const isPruned = options.prune === true && ownerless.length > 0;
  const questions = [
    ...(isFixed ? [`fix ${mendable} of ${counted(findings.length, "problem")}`] : []),
    ...(isPruned ? [`end ${counted(ownerless.length, "teammate")} without a lead`] : []),
  ];
  const [question] = [questions.join(" and ")].filter(Boolean);
  const refusal = question && (await call.confirm(`Do you want to ${question} under ${root}?`));
  if (refusal) return refusal;
  const left = await Promise.all(orphans.map(({ found, prune }) => (isPruned ? prune() : found)));
  const hosts = await findHosts(call);
  return answerOf(root, [...left, ...unreadable, ...hosts, ...(isFixed ? await mend({ root }) : findings)]);
}

/** In a database nothing is left behind: all that can be wrong is what a document says. */
async function examined(call: DoctorCall): Promise<readonly Finding[]> {
  if (chosenStore(call).url === undefined) return examine({ root: call.root });
  const { findings } = await checked(call);
  return findings.map(({ where, message, fix }) => ({
    kind: "document_faulty",
    path: where,
    message,
    fix,
    isMendable: false,
    isNote: false,
  }));
}

function answerOf(root: string, cases: readonly Case[]): Answer {
  const told = cases.map((one) => ({ ...one, remedy: remedyOf(one, root) }));
  const left = told.filter(({ isMended, isNote }) => !isMended && !isNote);
  const notes = told.filter(({ isNote }) => isNote);
  const more = notes.length > shownNotes ? [`${notes.length - shownNotes} more notes: --json lists them all`] : [];
  return {
    document: { root, findings: told },
    text: [
      ...told.filter(({ isNote }) => !isNote).flatMap(caseText),
      ...notes.slice(0, shownNotes).flatMap(caseText),
      ...more,
      left.length === 0 ? "nothing is wrong" : counted(left.length, "problem"),
    ],
    exit: left.length === 0 ? exits.done : exits.failed,
  };
}

/** The number of notes shown; a home directory holds what many sessions left behind. */
const shownNotes = 10;

function caseText(one: Case & { readonly remedy: Remedy }): Printed[] {
  const { path, message, fix, isMended, isNote, reason, remedy } = one;
  const head: Printed = [mark(isMended, isNote), `${path}: ${message}`];
  if (isMended) return [head];
  const way = "command" in remedy ? `${fix}: ${remedy.command}` : `no command can: ${remedy.why}`;
  return [head, `        ${way}`, ...(reason === undefined ? [] : [`        not fixed: ${reason}`])];
}

function mark(isMended: boolean, isNote: boolean): Span {
  if (isMended) return { text: "fixed   ", style: "green" };
  return isNote ? { text: "note    ", style: "dim" } : { text: "wrong   ", style: "red" };
}
