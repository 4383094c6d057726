import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Revision } from "@troupe/protocol";
import type { Store, Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { openLedgerFile } from "@troupe/team";
import { onTestFinished } from "vitest";
import { type LeadSeat, lendHand, type Place, type TakenSeat, takeSeat } from "../src/index.ts";

export interface Scene {
  readonly root: string;
  readonly store: Store;
  readonly team: Team;
  readonly observer: Place;
  /** The place of a member; each call is another process of it. */
  member(name: string): Place & { readonly taken: () => Promise<TakenSeat> };
  /** Of a member whose mail comes to it in another way. */
  hand(name: string): Place;
  lead(crew?: Partial<LeadSeat["crew"]>): Place;
}

/** A team on disk with a lead and these teammates. */
export async function scene(revision: Revision, ...names: readonly string[]): Promise<Scene> {
  const root = mkdtempSync(join(tmpdir(), "troupe-mcp-"));
  const store = openFileStore({ root });
  const at = { createdAt: 1_770_000_000_000, cwd: root };
  const team = await store.createTeam({ ...at, name: "crew", leadSessionId: "s", leadModel: "m", revision });
  for (const name of names)
    await team.join({ name, agentType: "mcp", model: "", prompt: "", joinedAt: at.createdAt, cwd: root });
  const taken: Promise<TakenSeat>[] = [];
  onTestFinished(async () => {
    for (const one of taken) await one.then((seat) => seat.close()).catch(() => {});
    await store.close();
    rmSync(root, { recursive: true, force: true });
  });
  const now = () => new Date();

  function seatOf(name: string): () => Promise<TakenSeat> {
    let seat: Promise<TakenSeat> | undefined;
    return () => {
      seat ??= openSeat(name);
      if (!taken.includes(seat)) taken.push(seat);
      return seat;
    };
  }

  async function openSeat(name: string): Promise<TakenSeat> {
    const ledger = await openLedgerFile({ path: join(root, `troupe/clients/${name}.jsonl`) });
    const place = { store, team, self: await team.as(name), lead: "team-lead", ledger, now, show: () => {} };
    const seat = await takeSeat(place);
    return { ...seat, close: () => seat.close().finally(ledger.close) };
  }

  const room = (self?: string) => ({ store, team, now, self });
  return {
    root,
    store,
    team,
    observer: { role: "observer", room: room() },
    member(name) {
      const seat = seatOf(name);
      return { role: "member", room: room(name), seat, taken: seat };
    },
    hand(name) {
      const lend = async () =>
        lendHand({ store, team, self: await team.as(name), lead: "team-lead", now, show: () => {} });
      return { role: "hand", room: room(name), seat: lend };
    },
    lead(crew = {}) {
      const seat = seatOf("team-lead");
      const none = async () => {
        throw new Error("not in this test");
      };
      const open = async () => ({ ...(await seat()), crew: { spawn: none, end: none, ...crew } });
      return { role: "lead", room: room("team-lead"), seat: open };
    },
  };
}
