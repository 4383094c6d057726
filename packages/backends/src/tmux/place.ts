import { createHash } from "node:crypto";
import { refused, type Tmux, type TmuxEnd } from "./client.ts";
import { splitOf, type Window } from "./layout.ts";

/** The tmux that a program runs in, as the environment says. */
export interface Inside {
  readonly socket: string;
  /** The process id of the server. */
  readonly pid: number;
  /** The pane of the program. */
  readonly pane: string;
}

/** Undefined outside tmux, and where the environment does not say in which pane. */
export function insideOf({ TMUX = "", TMUX_PANE = "" }: Readonly<Record<string, string | undefined>>) {
  const [, socket, pid] = /^(\/.+),(\d+),\d*$/s.exec(TMUX) ?? [];
  if (socket === undefined || !isPane(TMUX_PANE)) return undefined;
  return { socket, pid: Number(pid), pane: TMUX_PANE } satisfies Inside;
}

const isPane = (text: string): boolean => /^%\d+$/.test(text);

/** A new pane, whose program waits to be replaced, and the window it is in. */
export interface Split {
  readonly pane: string;
  readonly server: number;
  readonly version: string;
  readonly socket: string;
  readonly window: Window;
  /** The window of the lead; a person may have moved one or the other. */
  readonly leadWindow: string | undefined;
}

const fields = "pane_id pid version window_id window_height window_panes socket_path".split(" ");
const format = fields.map((field) => `#{${field}}`).join(" ");

export interface SplitDeps {
  readonly tmux: Tmux;
  /** The pane of the lead; without it, a session of our own is made. */
  readonly lead: string | undefined;
  readonly session: string;
  /** Panes of teammates that should still be there, the last one first. */
  readonly others: readonly string[];
  /** What waits in the pane. */
  readonly waiting: readonly string[];
}

/** Adds a pane beside the others, in at most one client where there is room. */
export async function splitPane({ tmux, lead, session, others, waiting }: SplitDeps): Promise<Split> {
  const split = (...where: readonly string[]) =>
    tmux(...(lead === undefined ? [] : [["display-message", "-p", "-t", lead, "#{window_id}"]]), [
      "split-window",
      "-d",
      ...where,
      "-P",
      "-F",
      format,
      "--",
      ...waiting,
    ]);
  const targets = lead === undefined ? others : [...others, undefined];
  let end: TmuxEnd | undefined;
  for (const last of targets) {
    end = await split(...splitOf(lead, last));
    if (/no space for new pane/.test(end.words)) end = await split(...(await roomIn(tmux, last ?? lead ?? "")));
    if (end.isFine || !/can't find pane/.test(end.words)) break;
  }
  return readSplit(lead !== undefined || end?.isFine ? end : await openSession({ tmux, session, waiting }));
}

/** A server goes with its last pane; until it is gone it has its socket, and its session too. */
const isGoing = /server exited|lost server|no server running|can't find session/;

/** The first pane of a session, or one more of a session whose panes we do not know. */
async function openSession({ tmux, session, waiting }: Pick<SplitDeps, "tmux" | "session" | "waiting">) {
  const made = ["-P", "-F", format, "--", ...waiting];
  for (let tries = 0; ; tries += 1) {
    let end = await tmux(["new-session", "-d", "-s", session, "-x", "200", "-y", "50", ...made]);
    if (/duplicate session/.test(end.words)) end = await tmux(["split-window", "-d", "-t", `=${session}:`, ...made]);
    if (end.isFine || tries === 20 || !isGoing.test(end.words)) return end;
  }
}

/** Tiles a window and says how its largest pane is split. */
async function roomIn(tmux: Tmux, pane: string): Promise<readonly string[]> {
  const list = ["list-panes", "-t", pane, "-F", "#{pane_id} #{pane_width} #{pane_height}"];
  const { stdout } = await tmux(["select-layout", "-t", pane, "tiled"], list);
  const panes = stdout
    .trim()
    .split("\n")
    .map((line) => line.split(" "))
    .map(([id = pane, width, height]) => ({ id, width: Number(width), height: Number(height) }))
    .sort((a, b) => b.width * b.height - a.width * a.height);
  const [largest = { id: pane, width: 0, height: 0 }] = panes;
  return ["-t", largest.id, largest.width > 2 * largest.height ? "-h" : "-v"];
}

function readSplit(end: TmuxEnd = { isFine: false, stdout: "", words: "there was nothing to split" }): Split {
  if (!end.isFine) throw refused("added no pane", end);
  const lines = end.stdout.trim().split("\n");
  const [pane = "", server, version = "", id = "", height, panes, ...socket] = (lines.at(-1) ?? "").split(" ");
  if (!isPane(pane)) throw refused("added no pane", { words: `it answered ${JSON.stringify(end.stdout)}` });
  return {
    pane,
    server: Number(server),
    version,
    socket: socket.join(" "),
    window: { id, height: Number(height), panes: Number(panes) },
    leadWindow: lines.length > 1 ? lines[0] : undefined,
  };
}

/** A session name that no tmux changes, of its own for each team of each root. */
export const sessionNameOf = (team: string, root: string): string =>
  `troupe-${team.replace(/[^A-Za-z0-9_-]/g, "_")}-${createHash("sha256").update(`${root}\0${team}`).digest("hex").slice(0, 6)}`;
