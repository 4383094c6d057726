import { counted, type Printed, type Span, type Style } from "../paint.ts";
import { widthOf } from "../visible.ts";
import { callLines } from "./call-lines.ts";
import type { Completion } from "./completion.ts";
import { dialogTail } from "./dialog-lines.ts";
import { laidOut } from "./editor.ts";
import { fitting } from "./fitting.ts";
import type { Tail } from "./frame.ts";
import { markdown } from "./markdown.ts";
import type { Look, Painter } from "./painter.ts";
import { isWorking, type State } from "./state.ts";
import { statusLine } from "./status-line.ts";
import { taskLines } from "./task-lines.ts";

/** The rows of a long prompt that are shown at a time. */
const mostPromptRows = 10;

/** What stands below the finished lines: what goes on, and the prompt or a question. */
export function tailOf(state: State, painter: Painter): Tail {
  const { columns, rows } = state;
  const { isSpoken } = painter.look;
  const live = painter.lines(isSpoken ? spokenLines(state) : liveLines(state, painter.look), columns);
  const input = inputOf(state, painter);
  // One row stays free, so that nothing of the tail is ever pushed out above.
  const room = Math.max(1, rows - 1);
  const lines = [...live.slice(Math.max(0, live.length - Math.max(0, room - input.lines.length))), ...input.lines];
  const cut = Math.max(0, lines.length - room);
  const row = lines.length - input.lines.length + input.cursor.row - cut;
  return { lines: lines.slice(cut), cursor: { row: Math.max(0, row), column: input.cursor.column } };
}

/** What goes on: words that come in, calls that run, agents, and what waits. */
function liveLines(state: State, { shorten }: Look): readonly Printed[] {
  const { talk, status, hasTasks, tasks } = state;
  const words = talk.words.trim() === "" ? [] : ["", ...markdown(talk.words.replace(/^\n+/, ""), "  ")];
  const calls =
    talk.calls.length === 0
      ? []
      : ["", ...talk.calls.flatMap((call) => callLines(call, { isUnfolded: false, isSpoken: false, shorten }))];
  const queued = status.queued.map(
    (text): Printed => ({ hang: 4, spans: [dim("  › "), dim(firstLine(text)), dim("  (waits)")] }),
  );
  return [
    ...words,
    ...calls,
    ...workLines(state, shorten),
    ...(isWorking(state) && state.dialogs.length === 0 ? ["", workingLine(state)] : []),
    ...queued,
    ...mateLines(state),
    ...(hasTasks ? ["", ...taskLines(tasks)] : []),
    "",
  ];
}

/** What a screen reader is told above the prompt: nothing that changes by itself. */
function spokenLines({ status, hasTasks, tasks }: State): readonly Printed[] {
  const queued = status.queued.map((text): Printed => ({ hang: 2, spans: [`Waits: ${firstLine(text)}`] }));
  return [...queued, ...(hasTasks ? taskLines(tasks, true) : [])];
}

const dim = (text: string): Span => ({ text, style: "dim" });
const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";

/** Agents that are waited for stand below their call, what is in the background after it. */
function workLines({ status: { work }, progress }: State, shorten: Look["shorten"]): readonly Printed[] {
  const [behind, awaited] = [true, false].map((is) => work.filter(({ isBackground }) => isBackground === is));
  const line = ({ id, kind, description, isBackground }: (typeof work)[number]): Printed => {
    const { calls = 0, last = "" } = progress[id] ?? {};
    const done = calls === 0 ? "begins" : counted(calls, "call");
    const seen = [isBackground ? "in the background" : "", ...(kind === "agent" ? [done, shorten(last)] : [])];
    const said = seen.filter((one) => one !== "").join(" · ");
    if (isBackground) return { hang: 4, spans: [{ text: "◌ ", style: "cyan" }, description, dim(`  ${said}`)] };
    return { hang: 4, spans: [dim("  └ "), ...(awaited?.length === 1 ? [] : [`${description}  `]), dim(said)] };
  };
  return [...(awaited ?? []).map(line), ...(behind?.length ? ["", ...behind.map(line)] : [])];
}

const words: Readonly<Record<State["talk"]["doing"], string>> = {
  resting: "working",
  asking: "waiting for the model",
  thinking: "thinking",
  speaking: "writing",
  calling: "working",
};

function workingLine({ talk, since, compactingSince, now, status, columns }: State): Printed {
  const isTurn = talk.doing !== "resting" || since !== undefined;
  const begun = isTurn ? since : compactingSince;
  const seconds = begun === undefined ? 0 : Math.max(0, Math.floor((now - begun) / 1_000));
  const doing = isTurn ? words[talk.doing] : "summarising the conversation";
  const runs = talk.calls.some(({ name, hasBegun, result }) => name === "Bash" && hasBegun && !result);
  const mayLeave = runs || status.work.some(({ isBackground }) => !isBackground);
  const told = `${doing}… `;
  const keys = ["esc stops it", mayLeave && "ctrl+b to the background"];
  const rest = fitting([`${seconds} s`, ...keys], columns - 3 - widthOf(told));
  return { hang: 2, spans: [{ text: "✳ ", style: "yellow" }, told, dim(rest)] };
}

/** The teammates and what they do; one that waits for the person stands first. */
function mateLines({ mates }: State): readonly Printed[] {
  const living = mates.filter(({ doing }) => doing !== "ended");
  const waitsFirst = living.toSorted((a, b) => Number(b.doing === "needs input") - Number(a.doing === "needs input"));
  const spans = waitsFirst.flatMap(({ name, color, doing }): readonly Span[] => {
    const said = { text: ` ${doing}  `, style: doing === "needs input" ? "yellow" : "dim" } as const;
    return [{ text: `@${name}`, style: color }, said];
  });
  return spans.length === 0 ? [] : ["", { hang: 2, spans: ["  ", ...spans] }];
}

/** The question on the screen, or the prompt with what belongs to it. */
export function inputOf(state: State, painter: Painter): Tail {
  const { columns, dialogs, rows } = state;
  const [dialog] = dialogs;
  if (!dialog) return promptOf(state, painter);
  const top = painter.lines([rule(columns, painter, "yellow")], columns);
  const { lines, cursor } = dialogTail(dialog, painter, columns, rows - 1 - top.length);
  return { lines: [...top, ...lines], cursor: { row: top.length + cursor.row, column: cursor.column } };
}

function promptOf(state: State, painter: Painter): Tail {
  const { columns, editor, view } = state;
  const sign = painter.look.isSpoken ? "> " : "› ";
  const laid = laidOut(editor, Math.max(8, columns - 4));
  const first = Math.max(0, Math.min(laid.row - mostPromptRows + 1, laid.rows.length - mostPromptRows));
  const rows = laid.rows.slice(first, first + mostPromptRows);
  const isEmpty = editor.text === "";
  const hint =
    view?.mate === undefined ? "Ask, or type / for commands, @ for files, ! for the shell" : `Write to ${view.mate}`;
  const signAt = (at: number): Span =>
    at === 0
      ? { text: first === 0 ? sign.trim() : "↑", style: "cyan" }
      : { text: at === rows.length - 1 && first + rows.length < laid.rows.length ? "↓" : " ", style: "cyan" };
  const typed = rows.map((row, at) => `${painter.lines([[signAt(at), "|"]], columns)[0]?.slice(0, -1)} ${row}`);
  const shown =
    isEmpty && !painter.look.isSpoken ? painter.lines([[{ text: sign, style: "cyan" }, dim(hint)]], columns) : typed;
  const above = painter.lines(painter.look.isSpoken ? [] : [rule(columns, painter, "dim")], columns);
  const below = painter.lines(belowPrompt(state, painter), columns);
  return {
    lines: [...above, ...shown, ...below],
    cursor: { row: above.length + laid.row - first, column: laid.column + 2 },
  };
}

function belowPrompt(state: State, painter: Painter): readonly Printed[] {
  const { completion, hint } = state;
  const { isSpoken } = painter.look;
  if (completion) return optionLines(completion, isSpoken ? ">" : "›");
  if (isSpoken) return hint === undefined ? [] : [hint];
  return [hint === undefined ? statusLine(state) : { hang: 2, spans: ["  ", { text: hint, style: "yellow" }] }];
}

/** How many options of a completion are shown at a time. */
const mostOptions = 8;

/** The options around the selected one, and how many there are besides. */
function optionLines({ options, selected }: Completion, pointer: string): readonly Printed[] {
  const first = Math.max(0, Math.min(selected - mostOptions + 2, options.length - mostOptions));
  const shown = options.slice(first, first + mostOptions);
  const hidden = options.length - shown.length;
  const width = Math.min(24, Math.max(...options.map(({ name }) => widthOf(name))));
  const rows = shown.map(({ name, summary }, at): Printed => {
    const text = `${first + at === selected ? pointer : " "} ${name}`;
    const title: Span = first + at === selected ? { text, style: "cyan" } : text;
    if (summary === "") return { hang: 2, spans: [title] };
    return { hang: width + 4, spans: [title, dim(`${" ".repeat(Math.max(0, width - widthOf(name)))}  ${summary}`)] };
  });
  return hidden === 0 ? rows : [...rows, dim(`  … ${hidden} more: ↑↓`)];
}

/**
 * No longer than it must be: a line that no longer fits is broken when the terminal gets narrower.
 */
const widest = 59;

const rule = (columns: number, { look }: Painter, style: Style): Printed =>
  look.isSpoken ? "" : { text: "─".repeat(Math.max(1, Math.min(widest, columns - 1))), style };
