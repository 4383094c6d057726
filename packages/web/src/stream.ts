import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Hub } from "./hub.ts";
import type { Source } from "./source.ts";

export interface StreamDeps {
  readonly source: Pick<Source, "log">;
  readonly hub: Hub;
  /** The team whose log is told besides. */
  readonly team: string | undefined;
  /** The last event of the log that the page has heard, where it comes back. */
  readonly after: string | undefined;
  readonly heartbeatMs: number;
}

/** Tells a page that something may be another, and what is new in the log, until it goes away. */
export function tellPage(response: ServerResponse, deps: StreamDeps): void {
  const { source, hub, team, heartbeatMs } = deps;
  const gone = new AbortController();
  let last = deps.after;
  let [isTelling, isAgain] = [false, false];

  const write = (text: string) => void response.write(text);

  /** A long log is told as fast as the page reads it. */
  const drained = () => once(response, "drain", { signal: gone.signal }).catch(() => {});

  const hint = (kind: string, about: object) => write(`event: ${kind}\ndata: ${JSON.stringify(about)}\n\n`);

  async function tellLog(name: string): Promise<void> {
    for (let more = true; more && !response.destroyed; ) {
      const page = await source.log(name, { after: last });
      if (!page) return;
      // Without a place the last page is given, of which only the end is of use here.
      const events = last === undefined ? [] : page.events;
      for (const event of events) write(`id: ${event.id}\nevent: log\ndata: ${JSON.stringify(event)}\n\n`);
      if (response.writableNeedDrain) await drained();
      more = last !== undefined && page.hasMore;
      last = page.last ?? last;
    }
  }

  async function tellTeam(): Promise<void> {
    isAgain = isTelling;
    if (isTelling || team === undefined) return;
    isTelling = true;
    do {
      isAgain = false;
      hint("team", { team });
      await tellLog(team).catch(() => {
        // The history has gone on so far that it does not have this place any more.
        last = undefined;
      });
    } while (isAgain);
    isTelling = false;
  }

  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  hint("teams", {});
  const leave = [
    hub.follow(undefined, () => hint("teams", {})),
    team === undefined ? () => {} : hub.follow(team, () => void tellTeam()),
  ];
  void tellTeam();
  const timer = setInterval(() => write(": here\n\n"), heartbeatMs);
  response.on("close", () => {
    clearInterval(timer);
    gone.abort();
    for (const one of leave) one();
  });
  response.on("error", () => {});
}
