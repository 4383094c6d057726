import { setTimeout as pause } from "node:timers/promises";
import { changesBetween, type Overview, type OverviewChange, overviewOf, type RecordedEvent } from "@troupe/store";
import type { Answer, Call } from "../command.ts";
import { requestedFor } from "../host/requested.ts";
import { timeSpans } from "../mail/message.ts";
import { openVouchers } from "../mail/vouchers.ts";
import { lookAt, openStore, openTeam, type StorePlace } from "../open.ts";
import { overviewDocument } from "../team/overview-document.ts";
import { overviewText } from "../team/overview-text.ts";
import { wholeName } from "../which-team.ts";
import { toldChange } from "./changes.ts";
import { historyOf, recordedIn } from "./history.ts";
import { toldRecord } from "./recorded.ts";

/** Changes within this time are read together. */
const gatherMs = 50;

/** How a watch begins, and what it tells. */
export interface Following {
  /** Tells what was before: the team as it is, and its history. */
  begin(overview: Overview, history: readonly RecordedEvent[]): Promise<unknown>;
  /** Whether something is told that this member did; undefined for what nobody did. */
  shows(by: string | undefined): boolean;
}

export async function run(call: Call<{ team: string | undefined }>): Promise<Answer | undefined> {
  const { now, tell, streams, isJson, args } = call;
  const { isTTY } = streams.output as { isTTY?: boolean };
  const isSeen = isTTY === true && (streams.input as { isTTY?: boolean }).isTTY === true;
  if (args.team === undefined && isSeen && !isJson) return (await import("./board-screen.ts")).showBoard(call);
  const team = await wholeName(call, args.team);
  return follow(
    { ...call, args: { team } },
    {
      async begin(overview) {
        const requested = await requestedFor(call, overview.team);
        await tell({
          document: { at: now().toISOString(), event: "team", team: overviewDocument(overview, undefined, requested) },
          text: [...overviewText(overview, undefined, requested), ""],
        });
      },
      shows: () => true,
    },
  );
}

/** Tells what happens in a team until the signal fires or the team is gone. */
export async function follow(
  call: StorePlace & Pick<Call, "signal" | "tell"> & { readonly args: { readonly team: string } },
  { begin, shows }: Following,
): Promise<Answer | undefined> {
  const { signal, now, tell } = call;
  const team = await openTeam(call, call.args.team);
  // The watch begins before the first read, so that no change is missed in between.
  const changes = team.watch(signal);
  const store = await openStore(call);
  const vouchers = openVouchers();
  const at = () => ({ at: now().toISOString() });
  let last: string | undefined;

  async function tellRecord(recorded: RecordedEvent): Promise<void> {
    last = recorded.id;
    vouchers.add(recorded);
    if (!shows(recorded.by)) return;
    const { document, line } = toldRecord(recorded);
    const text = line ? [[...timeSpans(recorded.at), ...line]] : [];
    await tell({ document: { at: recorded.at, ...document }, text });
  }

  async function tellChanges(before: Overview, after: Overview): Promise<void> {
    const found = changesBetween(before, after);
    const isUnsure = found.some((one) => one.kind === "message" && vouchers.of(one.to, one.message) === null);
    // The record of a message follows it at once.
    if (isUnsure) await pause(gatherMs);
    // Of one that was stopped for long what follows may be gone: then nobody vouches.
    if (isUnsure) for (const recorded of await historyOf(team, last).catch(() => [])) vouchers.add(recorded);
    for (const change of found.filter((one) => shows(doerOf(one)))) {
      const { document, line, more } = toldChange(change, after.form, vouchers.of);
      await tell({ document: { ...at(), ...document }, text: [[...timeSpans(now()), ...line], ...more] });
    }
  }

  const earlier = await historyOf(team);
  last = earlier.at(-1)?.id;
  for (const recorded of earlier) vouchers.add(recorded);
  const onlook = store.onlook();
  const first = await onlook.team(team.name, { isPatient: true });
  let before = first.found ? overviewOf(first.found) : await lookAt(call, team.name);
  let isSettled = first.isSettled;
  await begin(before, earlier);

  const history = team.history(last, signal);
  const following = (async () => {
    for await (const recorded of history) await tellRecord(recorded);
  })();
  following.catch(() => changes.return?.());

  async function gone(): Promise<Answer> {
    await history.return?.();
    await following.catch(() => {});
    for (const recorded of await recordedBehind(store.past(before.team), last)) await tellRecord(recorded);
    return {
      document: { ...at(), event: "team_deleted" },
      text: [[...timeSpans(now()), `${before.team} is gone`]],
    };
  }

  try {
    let next = changes.next();
    const isOver = async () => (await next).done === true;
    // A document that was being written at the last read is read again, even without an event.
    while (!(await (isSettled ? isOver() : Promise.race([isOver(), pause(gatherMs, false)])))) {
      const enough = pause(gatherMs, false);
      while (await Promise.race([enough, next.then(({ done }) => !done)])) next = changes.next();
      const look = await onlook.team(before.team);
      isSettled = look.isSettled;
      const after = look.found && overviewOf(look.found);
      if (!after || isAnother(before, after)) return await gone();
      await tellChanges(before, after);
      before = after;
    }
    await history.return?.();
    await following;
    return undefined;
  } catch (error) {
    // What is asked of a team that went meanwhile fails.
    const { found } = await onlook.team(before.team);
    if (found && !isAnother(before, overviewOf(found))) throw error;
    return await gone();
  } finally {
    await history.return?.();
    await changes.return?.();
  }
}

/** The member that did it, as far as the files tell. */
function doerOf(change: OverviewChange): string | undefined {
  if ("member" in change) return change.member.name;
  if (change.kind === "messages_taken") return change.agent;
  if (change.kind === "message") return change.message.entry.from;
  return change.kind === "problem" ? undefined : change.task.owner;
}

/** True for a later team of the same name. */
const isAnother = ({ createdAt: before }: Overview, { createdAt: after }: Overview): boolean =>
  before !== undefined && after !== undefined && before !== after;

/** The events behind the one that was told last; all of them where none was. */
async function recordedBehind(past: AsyncIterable<RecordedEvent>, last: string | undefined): Promise<RecordedEvent[]> {
  const found = await recordedIn(past);
  return found.slice(found.findIndex(({ id }) => id === last) + 1);
}
