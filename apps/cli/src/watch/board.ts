import { counted, type Printed, paint, type Screen, type Span } from "../paint.ts";
import { fitting } from "../screen/fitting.ts";
import { requestBody, requestHead, type Shown } from "../steer/requests.ts";
import type { Activities } from "../team/activity.ts";
import type { AllTeams } from "../team/all-teams.ts";
import { memberSpan, stateSpan, statusSpan } from "../team/overview-text.ts";

/** A live team as the board shows it. */
export interface BoardTeam {
  readonly overview: AllTeams["teams"][number]["overview"];
  readonly activities: Activities;
  readonly requests: readonly Shown[];
}

/** Something that can be chosen: what waits for the person comes first. */
export type Choice =
  | { readonly kind: "request"; readonly team: string; readonly request: Shown }
  | { readonly kind: "member"; readonly team: string; readonly member: string };

/** So many lines of a request are shown; a longer one is not answered from the board. */
export const mostLines = 12;
const mostTasks = 8;

export const choicesIn = (teams: readonly BoardTeam[]): readonly Choice[] => [
  ...teams.flatMap(({ overview: { team }, requests }) =>
    requests.map((request) => ({ kind: "request" as const, team, request })),
  ),
  ...teams.flatMap(({ overview: { team, members } }) =>
    members.map(({ member }) => ({ kind: "member" as const, team, member: member.name })),
  ),
];

/**
 * Which is chosen after another look: the same as before, wherever it stands by now. A member that
 * nobody chose gives way to what waits. Where a request has gone, another stands in its place that
 * nobody meant.
 */
export function chosenAfter(
  before: { readonly choice: Choice | undefined; readonly at: number; readonly isMeant: boolean },
  choices: readonly Choice[],
): { readonly chosen: number; readonly isAnother: boolean } {
  const { choice, at, isMeant } = before;
  const chosen = choices.findIndex((one) => choice !== undefined && nameOf(one) === nameOf(choice));
  const isKept = chosen >= 0 && (choice?.kind === "request" || isMeant);
  if (isKept) return { chosen, isAnother: false };
  const isGone = choice?.kind === "request";
  return { chosen: isMeant || isGone ? Math.max(0, Math.min(at, choices.length - 1)) : 0, isAnother: isGone };
}

const nameOf = (one: Choice): string =>
  `${one.kind} ${one.team} ${one.kind === "request" ? one.request.id : one.member}`;

/** The board in so many rows: head and foot stay, and of the rest what is chosen is seen. */
export function boardRows(
  board: Board,
  { columns, rows, hasColor }: Screen & { readonly rows: number },
): { readonly lines: readonly string[]; readonly isChosenWhole: boolean } {
  const lines = (blocks: readonly Printed[]) =>
    blocks.length === 0 ? [] : paint(blocks, { columns, hasColor }).split("\n");
  const { head, before, chosen, after, foot } = boardOf(board);
  const [above, top, here, below] = [lines(head), lines(before), lines(chosen), lines(foot)];
  const all = [...top, ...here, ...lines(after)];
  const room = Math.max(1, rows - above.length - below.length - 1);
  const wanted = top.length - Math.max(0, Math.floor((room - here.length) / 2));
  const first = Math.max(0, Math.min(wanted, all.length - room));
  const shown = all.slice(first, first + room);
  const hidden = all.length - first - shown.length;
  const told = fitting([first > 0 && `↑ ${first} above`, hidden > 0 && `↓ ${hidden} below`], columns);
  const place = told === "" ? [""] : lines([{ text: told, style: "dim" }]);
  return { lines: [...above, ...shown, ...place, ...below].slice(0, rows), isChosenWhole: here.length <= room };
}

/** What the board shows at a moment. */
export interface Board {
  readonly teams: readonly BoardTeam[];
  readonly chosen: number;
  /** What became of the last key. */
  readonly message: string;
  readonly now: Date;
}

type Part = "head" | "before" | "chosen" | "after" | "foot";

/** The chosen thing has a mark in front of it. */
function boardOf({ teams, chosen, message, now }: Board): Record<Part, readonly Printed[]> {
  const choices = choicesIn(teams);
  const waiting = choices.filter(({ kind }) => kind === "request").length;
  let at = -1;
  const parts: Record<"before" | "chosen" | "after", Printed[]> = { before: [], chosen: [], after: [] };
  const put = (...blocks: readonly Printed[]) => parts[at < chosen ? "before" : "after"].push(...blocks);
  const choose = (line: (mark: Span) => Printed, more: readonly Printed[] = []) => {
    at += 1;
    if (at === chosen) parts.chosen.push(line({ text: ">", style: "bold" }), ...more);
    else put(line(" "));
  };
  if (waiting > 0) put("", { text: "WAITS FOR YOU", style: "yellow" });
  for (const one of choices) {
    if (one.kind !== "request") continue;
    const { team, request } = one;
    const body = requestBody(request);
    const more = body.length > mostLines ? [`    … ${body.length - mostLines} more lines`] : [];
    const spans = [" ", { text: team, style: "dim" } as const, " ", ...requestHead(request, now)];
    choose((mark) => ({ hang: 4, spans: [mark, ...spans] }), [...body.slice(0, mostLines), ...more]);
  }
  for (const { overview, activities } of teams) {
    put("", { text: overview.team, style: "bold" });
    for (const { member, isLead } of overview.members) {
      const activity = activities.get(member.name);
      const name = memberSpan(isLead ? `${member.name} (lead)` : member.name, member.color);
      const spans = [" ", name, "  ", stateSpan(member, activity), "  ", ...(activity?.line ?? [])];
      choose((mark) => ({ hang: 4, spans: [mark, ...spans] }));
    }
    put(...taskLines(overview));
  }
  if (teams.length === 0) put("", "No team is live. One that begins comes up here by itself.");
  return {
    head: [[{ text: "troupe watch", style: "bold" }, `  ${counted(teams.length, "live team")}  `, waitsFor(waiting)]],
    ...parts,
    foot: [
      { text: "↑↓ choose · enter its pane · a allow · d deny · q leave", style: "dim" },
      ...(message === "" ? [] : [message]),
    ],
  };
}

const waitsFor = (count: number): Span =>
  count === 0 ? "nothing waits for you" : { text: `${counted(count, "request")} for you`, style: "yellow" };

function taskLines({ tasks }: BoardTeam["overview"]): readonly Printed[] {
  const open = tasks.filter(({ task }) => task.status !== "completed");
  const done = tasks.length - open.length;
  const more = open.length > mostTasks ? `, ${open.length - mostTasks} more are open` : "";
  return [
    ...open.slice(0, mostTasks).map(
      ({ task, openBlockers }): Printed => ({
        hang: 8,
        spans: [
          `    #${task.id} `,
          statusSpan(task.status),
          `  ${task.subject ?? ""}${task.owner ? `  ${task.owner}` : ""}`,
          openBlockers.length > 0 ? `  waits for ${openBlockers.map((id) => `#${id}`).join(", ")}` : "",
        ],
      }),
    ),
    `    ${done} of ${counted(tasks.length, "task")} done${more}`,
  ];
}
