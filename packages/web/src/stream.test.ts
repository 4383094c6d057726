import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../../scripts/awaited.ts";
import { openPlace, openSource } from "../test/place.ts";

type Place = Awaited<ReturnType<typeof openPlace>>;

/** A tab that listens, and what it has heard. */
function tab({ port, cookie }: Place, path = "/api/events?team=crew", more: readonly string[] = []) {
  let heard = "";
  const head = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Cookie: ${cookie}`, ...more];
  const socket = connect(port, "127.0.0.1", () => socket.write(`${head.join("\r\n")}\r\n\r\n`));
  socket.setEncoding("utf8");
  socket.on("data", (text: string) => {
    heard += text;
  });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  const times = (text: string) => heard.split(text).length - 1;
  return { socket, times, hears: (text: string, count = 1) => untilSeen(text, () => times(text) >= count) };
}

test("a tab is told at once to look, and again at each change of its team or of all", async () => {
  const place = await openPlace();
  const one = tab(place);
  await one.hears("event: teams\ndata: {}\n\n");
  await one.hears('event: team\ndata: {"team":"crew"}\n\n');
  place.hint("crew");
  await one.hears("event: team\n", 2);
  place.hint();
  await one.hears("event: teams\n", 2);
});

test("what is new in the log is told with its id, and a tab that comes back hears what it has missed", async () => {
  const place = await openPlace();
  const one = tab(place);
  await one.hears("event: team\n");
  await untilSeen("the watch", () => place.watches.includes("crew"));
  place.log.push("3");
  place.hint("crew");
  await one.hears("id: 3\nevent: log\ndata: {");
  expect(one.times("id: 1\n") + one.times("id: 2\n")).toBe(0);
  const back = tab(place, "/api/events?team=crew", ["Last-Event-ID: 1"]);
  await back.hears("id: 2\nevent: log\n");
  await back.hears("id: 3\nevent: log\n");
  expect(back.times("id: 1\n")).toBe(0);
});

test("however many tabs look at a team there is one watch, which ends with the last of them", async () => {
  const signals: AbortSignal[] = [];
  const seen = openSource();
  const source = {
    ...seen.source,
    changes(team: string | undefined, signal: AbortSignal) {
      if (team === "crew") signals.push(signal);
      return seen.source.changes(team, signal);
    },
  };
  const place = await openPlace({ source });
  const tabs = [tab(place), tab(place), tab(place)];
  for (const one of tabs) await one.hears("event: team\n");
  seen.hint("crew");
  for (const one of tabs) await one.hears("event: team\n", 2);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  tabs[0]?.socket.destroy();
  tabs[1]?.socket.destroy();
  seen.hint("crew");
  await tabs[2]?.hears("event: team\n", 3);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  tabs[2]?.socket.destroy();
  await untilSeen("the end of the watch", () => signals[0]?.aborted);
});

test("a watch that fails is begun anew while somebody looks", async () => {
  const seen = openSource();
  let begun = 0;
  const source = {
    ...seen.source,
    changes(team: string | undefined, signal: AbortSignal) {
      if (team !== "crew") return seen.source.changes(team, signal);
      begun += 1;
      throw new Error("the team is gone");
    },
  };
  const one = tab(await openPlace({ source }));
  await one.hears("event: team\n", 3);
  expect(begun).toBeGreaterThan(1);
});

test("a tab hears from time to time that the server is there", async () => {
  const one = tab(await openPlace({ limits: { heartbeatMs: 20 } }), "/api/events");
  await one.hears(": here\n\n", 2);
});

test("a tab that does not read what it is told is left", async () => {
  const long = "x".repeat(1 << 16);
  const seen = openSource();
  const signals: AbortSignal[] = [];
  const source = {
    ...seen.source,
    changes(team: string | undefined, signal: AbortSignal) {
      signals.push(signal);
      return seen.source.changes(team, signal);
    },
    async log(team: string, asked: { readonly after?: string | undefined }) {
      const page = await seen.source.log(team, asked);
      return (
        page && { ...page, events: page.events.map((event) => ({ ...event, line: long })), hasMore: true, last: "1" }
      );
    },
  };
  const place = await openPlace({ source, limits: { heartbeatMs: 50 } });
  const one = tab(place, "/api/events?team=crew", ["Last-Event-ID: 1"]);
  await one.hears("event: log\n");
  one.socket.pause();
  await untilSeen("that the server leaves it", () => signals.some(({ aborted }) => aborted));
});
