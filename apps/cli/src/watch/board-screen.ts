import type { Readable, Writable } from "node:stream";
import { messageOf } from "@troupe/protocol";
import type { Call } from "../command.ts";
import { openStore } from "../open.ts";
import { frame, noTail, type Tail } from "../screen/frame.ts";
import type { Key } from "../screen/keys.ts";
import { openTty } from "../screen/tty.ts";
import { answer } from "../steer/answer.ts";
import { run as attach } from "../steer/attach.ts";
import { requestBody, waitingIn } from "../steer/requests.ts";
import { activitiesIn } from "../team/activity.ts";
import { readAllTeams } from "../team/all-teams.ts";
import { screenOf } from "../terminal.ts";
import { type BoardTeam, boardRows, type Choice, choicesIn, chosenAfter, mostLines } from "./board.ts";

/** How often the teams are looked at. */
const lookMs = 1_000;

type BoardCall = Call<{ team: string | undefined }>;

/** Shows all live teams on the whole screen until the person leaves. */
export async function showBoard(call: BoardCall): Promise<undefined> {
  const streams = call.streams as {
    input: Readable & { setRawMode?(isRaw: boolean): unknown };
    output: Writable & { columns?: number; rows?: number; isTTY?: boolean };
  };
  const { hasColor } = screenOf(streams.output as never, call.environment);
  const over = new AbortController();
  const keys: Key[] = [];
  let wake = () => {};
  let shown: Tail = noTail;
  let teams: readonly BoardTeam[] = [];
  let chosen = 0;
  let message = "";
  /** The person has chosen it by a key. */
  let isMeant = false;
  /** What is chosen stands in the place of a request that has gone. */
  let isAnother = false;
  /** What is chosen was drawn to its end. */
  let isWhole = false;

  const open = () => {
    const tty = openTty({
      ...streams,
      onKey: (key) => {
        // What is typed fast comes as one text.
        keys.push(...(key.name === "text" ? [...(key.text ?? "")].map((text) => ({ name: text })) : [key]));
        wake();
      },
      onSize: () => {
        shown = noTail;
        wake();
      },
      onGone: () => over.abort(),
    });
    tty.alternate(true);
    shown = noTail;
    return tty;
  };
  let tty = open();

  function draw(): void {
    const { columns, rows } = tty.size();
    const board = { teams, chosen, message, now: call.now() };
    const { lines, isChosenWhole } = boardRows(board, { columns: columns - 1, rows, hasColor });
    isWhole = isChosenWhole;
    const next = { lines, cursor: { row: lines.length - 1, column: 0 } };
    const body = frame(shown, next, []);
    if (body !== "") tty.write(shown === noTail ? `\x1b[2J\x1b[H${body}` : body);
    shown = next;
  }

  /** Goes to the pane of a member, and comes back to the board. */
  async function goTo({ team, member }: Extract<Choice, { kind: "member" }>): Promise<void> {
    tty.alternate(false);
    tty.close();
    try {
      const said = await attach({ ...call, args: { team, member } });
      message = said?.remark ?? "";
    } finally {
      tty = open();
    }
  }

  async function decide({ team, request }: Extract<Choice, { kind: "request" }>, isAllowed: boolean): Promise<void> {
    if (isAllowed && (requestBody(request).length > mostLines || !isWhole)) {
      message = `too long to be shown here: troupe ${request.kind} ${request.kind === "plan" ? "approve" : "allow"} ${team} ${request.id}`;
      return;
    }
    message = `answering ${request.from} …`;
    draw();
    const asked = { ...call, args: { team, request: request.id }, options: {}, note: () => {} };
    const { text: [said = ""] = [], remark } = await answer(asked, request.kind, isAllowed ? "allowed" : "denied");
    message = remark ?? String(said);
  }

  /** False once the person leaves. */
  async function press(key: Key): Promise<boolean> {
    const { name } = key;
    const choices = choicesIn(teams);
    const one = choices[chosen];
    if (["q", "escape", "ctrl+c", "ctrl+d"].includes(name)) return false;
    const isMove = ["up", "down", "j", "k"].includes(name);
    isMeant ||= isMove;
    if ((name === "a" || name === "d") && isAnother) message = "another stands here by now: once more, if it is meant";
    if (name === "down" || name === "j") chosen = Math.min(chosen + 1, Math.max(0, choices.length - 1));
    if (name === "up" || name === "k") chosen = Math.max(0, chosen - 1);
    // Whether it can be answered is known once it is drawn.
    if (isMove) draw();
    if (name === "enter" && one?.kind === "member") await goTo(one);
    if ((name === "a" || name === "d") && one?.kind === "request" && !isAnother) await decide(one, name === "a");
    isAnother = false;
    return true;
  }

  const stop = () => wake();
  call.signal.addEventListener("abort", stop, { once: true });
  try {
    for (let isOn = true; isOn && !over.signal.aborted && !call.signal.aborted; ) {
      const before = { choice: choicesIn(teams)[chosen], at: chosen, isMeant };
      teams = await liveTeams(call).catch((error: unknown) => {
        message = messageOf(error);
        return teams;
      });
      const after = chosenAfter(before, choicesIn(teams));
      chosen = after.chosen;
      // Nobody can mean to answer while a member is chosen: what comes up then is looked at anew.
      isAnother = after.isAnother || (isAnother && before.choice?.kind === "request");
      draw();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, keys.length > 0 ? 0 : lookMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      for (let key = keys.shift(); isOn && key; key = keys.shift())
        isOn = await press(key).catch((error: unknown) => {
          message = messageOf(error);
          return true;
        });
    }
  } finally {
    call.signal.removeEventListener("abort", stop);
    tty.alternate(false);
    tty.close();
  }
  return undefined;
}

async function liveTeams(call: BoardCall): Promise<readonly BoardTeam[]> {
  const { teams } = await readAllTeams(call);
  const store = await openStore(call);
  return Promise.all(
    teams
      .filter(({ isLive }) => isLive)
      .map(async ({ overview }) => {
        const team = await store.openTeam(overview.team).catch(() => undefined);
        const [activities, requests] = await Promise.all([
          activitiesIn(call, overview),
          team ? waitingIn(call, team) : [],
        ]);
        return { overview, activities, requests };
      }),
  );
}
