import {
  type KnownPermissionUpdate,
  knownPermissionUpdate,
  type PermissionRule,
  type PermissionUpdate,
} from "@troupe/protocol";
import type { CallQuestion, Reply } from "@troupe/team";
import { counted, isStyle, type Printed } from "../paint.ts";
import { aboutCall, changeOf, fieldOf } from "./call-lines.ts";
import type { Choice, Decision, Question } from "./dialog.ts";

interface Answer extends Choice {
  readonly reply: (words: string) => Reply;
}

/** A question about a call as a person is asked it, and what the decision comes to. */
export function permissionQuestion(
  question: CallQuestion,
  isTrusted = true,
): {
  readonly question: Question;
  readonly replyOf: (decision: Decision | undefined) => Reply;
} {
  const answers = question.tool === "ExitPlanMode" ? planAnswers(question) : callAnswers(question, isTrusted);
  return {
    question: { about: aboutQuestion(question), choices: answers, dismissing: "denies and stops the turn" },
    replyOf(decision) {
      const answer = answers[decision?.chosen[0] ?? -1];
      if (decision && answer) return answer.reply(decision.words);
      return { behavior: "deny", message: "the user denied it and stopped the turn", interrupt: true };
    },
  };
}

function aboutQuestion(question: CallQuestion): readonly Printed[] {
  const { tool, input, reason, from } = question;
  const badge = from && { text: `@${from.name}`, style: isStyle(from.color) ? from.color : ("bold" as const) };
  if (tool === "ExitPlanMode")
    return [badge ? [badge, " hands in its plan. May it carry it out?"] : "The plan is ready. Carry it out?"];
  const title: Printed = { hang: 2, spans: [badge ?? "Troupe", " wants to use ", { text: tool, style: "bold" }] };
  const description = tool === "Bash" ? fieldOf(input, "description") : undefined;
  const command = tool === "Bash" ? fieldOf(input, "command") : undefined;
  const what = command === undefined ? [aboutCall({ name: tool, input })] : command.split("\n");
  return [
    title,
    ...what.map(
      (line): Printed => ({ hang: 4, spans: ["    ", { text: line.replaceAll("\t", "  "), style: "cyan" }] }),
    ),
    ...(description === undefined ? [] : [{ hang: 4, spans: ["    ", description] }]),
    ...changeOf({ name: tool, input }, "    "),
    { hang: 2, spans: ["  ", { text: reason, style: "dim" }] },
  ];
}

const yes: Answer = { label: "Yes", reply: () => ({ behavior: "allow" }) };
const no: Answer = {
  label: "No, and say what to do instead",
  takes: "any words",
  reply: (words) => ({
    behavior: "deny",
    message: words === "" ? "the user denied it" : `the user denied it and said: ${words}`,
  }),
};

/** Where a permission is kept, and how that is said. */
const places = [
  ["session", "in this session"],
  ["localSettings", "in this folder"],
  ["userSettings", "in every folder"],
] as const;

const untrusted = "Later sessions ask until the folder is trusted: troupe trust";

function callAnswers({ suggestions, tool }: CallQuestion, isTrusted: boolean): readonly Answer[] {
  const updates = suggestions.flatMap((one) => knownPermissionUpdate(one) ?? []);
  if (updates.length === 0 || updates.length < suggestions.length) return [yes, no];
  const granting = (label: string, granted: readonly PermissionUpdate[]): Answer => ({
    label,
    reply: () => ({ behavior: "allow", updates: granted }),
  });
  if (updates.some(({ type }) => type === "setMode")) {
    const besides = updates.filter(({ type }) => type !== "setMode");
    const also = besides.length > 0 ? `, and ${wordsOf(besides)}` : "";
    return [yes, granting(`Yes, and don't ask again about edits in this session${also}`, updates), no];
  }
  const words = wordsOf(updates) || tool;
  const kept = places.map(([destination, where]): Answer => {
    const granted = updates.map((update) => ({ ...update, destination }));
    const answer = granting(`Yes, and don't ask again ${where}: ${words}`, granted);
    return destination === "localSettings" && !isTrusted ? { ...answer, note: untrusted } : answer;
  });
  return [yes, ...kept, no];
}

const ruleText = ({ toolName, ruleContent }: PermissionRule): string =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;

function wordsOf(updates: readonly KnownPermissionUpdate[]): string {
  const all = updates.flatMap((update) => {
    if (update.type === "addDirectories") return update.directories.map((directory) => `work in ${directory}`);
    return update.type === "addRules" ? update.rules.map(ruleText) : [];
  });
  const [first = "", ...rest] = all;
  return all.length <= 3 ? all.join(", ") : `${first} and ${counted(rest.length, "more rule")}`;
}

function planAnswers({ suggestions, from }: CallQuestion): readonly Answer[] {
  const back: Answer = {
    label: "No, go on planning: say what is missing",
    takes: "words",
    reply: (words) => ({ behavior: "deny", message: words }),
  };
  const inMode = (mode: "acceptEdits" | "default", label: string): Answer => ({
    label,
    reply: () =>
      from ? { behavior: "allow", mode } : { behavior: "allow", updates: mode === "default" ? [] : suggestions },
  });
  return [
    inMode("acceptEdits", "Yes, and don't ask about edits"),
    inMode("default", "Yes, and ask about each edit"),
    back,
  ];
}
