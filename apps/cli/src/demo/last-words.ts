import type { Terminal } from "@troupe/runtime";
import { type Answer, type Call, exits } from "../command.ts";
import type { Printed, Span } from "../paint.ts";
import type { Cost } from "./fan-out.ts";
import type { Verdict } from "./project.ts";

export interface Outcome {
  readonly call: Call<object, { keep?: boolean }>;
  readonly terminal: Terminal | undefined;
  readonly verdict: Verdict;
  readonly costs: readonly Cost[];
  /** The last state of each task. */
  readonly tasks: ReadonlyMap<string, string>;
  /** Teams and processes that are still there. */
  readonly left: readonly string[];
  readonly isLate: boolean;
}

/** Says what came of it, as the repository shows it, and how to look at it. */
export function lastWords({ call, terminal, verdict, costs, tasks, left, isLate }: Outcome): Answer {
  const { now, root, options, streams } = call;
  const { passed, failed, commits } = verdict;
  const open = [...tasks].filter(([, status]) => status !== "completed" && status !== "deleted");
  const faults = [
    ...(isLate ? ["the time was over"] : []),
    ...(terminal?.isOk ? [] : [`the lead did not end its task: ${terminal?.why ?? "it never began"}`]),
    ...(failed > 0 ? [`${failed} tests fail`] : []),
    ...(tasks.size === 0 ? ["there was no task"] : open.map(([id, status]) => `#${id} is ${status}`)),
    ...left.map((name) => `${name} was left`),
  ];
  const isDone = faults.length === 0;
  const document = { at: now().toISOString(), event: "over", isDone, faults, passed, failed, commits, costs, root };
  return {
    document,
    text: [
      "",
      { text: "WHAT CAME OF IT", style: "bold" },
      ...(terminal?.text ? [`the lead: ${terminal.text}`] : []),
      `tests: ${passed} passed, ${failed} failed`,
      ...commits.map((line) => `commit ${line}`),
      ...costText(costs),
      ...(options.keep || isTerminal(streams.output) ? ["", ...howToLook(call)] : []),
    ],
    exit: isDone ? exits.done : exits.failed,
    ...(!isDone && { remark: `the work is not done: ${faults.join("; ")}` }),
  };
}

const isTerminal = (output: object): boolean => (output as { readonly isTTY?: boolean }).isTTY === true;

function costText(costs: readonly Cost[]): Printed[] {
  if (costs.length === 0) return [];
  const names = { forks: "forks, which know what the lead knows", agents: "agents, which begin with nothing" };
  const rows = costs.map(({ of, agents, requests, sent, cached, dollars }): Span[] => [
    `${agents} ${names[of]}`,
    `${requests} requests`,
    `${sent} tokens`,
    `${Math.round((100 * cached) / Math.max(1, sent))} % from the cache`,
    dollars === undefined ? "" : `$${dollars.toFixed(4)}`,
  ]);
  return ["", { text: "WHAT THE REVIEWS COST", style: "bold" }, { rows }];
}

function howToLook({ options, root, cwd, home, environment }: Outcome["call"]): Printed[] {
  const title = { text: "LOOK AT IT", style: "bold" } as const;
  // A checkout has no troupe to type.
  const isCheckout = ["start", "troupe"].includes(environment["npm_lifecycle_event"] ?? "");
  const troupe = isCheckout ? "npm run -s troupe --" : "troupe";
  if (!options.keep) return [title, `${troupe} demo --keep leaves it all behind, and says where`];
  const rows = [
    [`git -C ${cwd} log --graph --stat`, "# what they wrote"],
    [`${troupe} log demo --root ${root}`, "# what happened in the team"],
    [`${troupe} web --open --root ${root}`, "# the team in the browser: who did what, when, and what it cost"],
  ];
  return [[title, `  all of it is in ${home}, until you remove it`], { rows }];
}
