import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSession, type Session, scriptedModel, seatOf } from "@troupe/runtime";
import { openFileStore } from "@troupe/store/files";

/** A team whose teammates are sessions of this process. */
export interface Crew {
  /** One more, once it has done what it was told and is idle. */
  add(): Promise<void>;
  /** Milliseconds from a message to this one until its model is asked; it is idle again then. */
  wake(n: number): Promise<number>;
  close(): Promise<void>;
}

/** A team without a lead's session, in a directory of its own. */
export async function openCrew(): Promise<Crew> {
  const home = mkdtempSync(join(tmpdir(), "troupe-idle-"));
  const root = join(home, ".claude");
  const over = new AbortController();
  const store = openFileStore({ root });
  const at = { createdAt: Date.now(), cwd: home };
  const made = await store.createTeam({ ...at, name: "crew", leadSessionId: "s", leadModel: "m" });
  const lead = await made.as("team-lead");
  const mates: Mate[] = [];
  const loops: Promise<void>[] = [];

  return {
    async add() {
      const name = `mate-${mates.length}`;
      await made.join({ name, agentType: "worker", model: "m", prompt: "", joinedAt: at.createdAt, cwd: home });
      const mate = await openMate(name);
      mates.push(mate);
      const idle = mate.next("idle");
      mate.session.tell("Look around.");
      loops.push(attend(mate.session, over.signal));
      await idle;
    },
    async wake(n) {
      const { next } = mates[n % mates.length] as Mate;
      const [asked, idle] = [next("asked"), next("idle")];
      const start = performance.now();
      await lead.send(`mate-${n % mates.length}`, { text: "Look again." });
      const ms = (await asked) - start;
      await idle;
      return ms;
    },
    async close() {
      over.abort();
      await Promise.all(loops);
      await Promise.all(mates.map(({ session }) => session.close()));
      await store.close();
      rmSync(home, { recursive: true });
    },
  };

  async function openMate(name: string): Promise<Mate> {
    const team = await store.openTeam("crew");
    if (!team) throw new Error("there is no team crew");
    const { next, happened } = openMoments();
    const answer = scriptedModel(() => [{ type: "text", text: "done" }]);
    const session = openSession({
      machine: { root, home, temporary: join(home, "tmp"), environment: {} },
      project: { cwd: home },
      role: "You work in a team.",
      key: { model: "m", betas: [] },
      model(...given) {
        happened("asked");
        return answer(...given);
      },
      person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
      store,
      seat: { ...(await seatOf(team, name)), isSpawned: true, bridge: async () => undefined as never },
      onEvent: (event) => {
        if (event.kind === "state" && event.state === "idle") happened("idle");
      },
    });
    return { session, next };
  }
}

type Moment = "asked" | "idle";

interface Mate {
  readonly session: Session;
  /** When the next such moment was. */
  next(moment: Moment): Promise<number>;
}

function openMoments() {
  const waiting = new Map<Moment, (at: number) => void>();
  return {
    next: (moment: Moment) => new Promise<number>((resolve) => waiting.set(moment, resolve)),
    happened(moment: Moment) {
      waiting.get(moment)?.(performance.now());
      waiting.delete(moment);
    },
  };
}

async function attend(session: Session, signal: AbortSignal): Promise<void> {
  const turns = session.attendTeam(signal);
  for (let step = await turns.next(); !step.done; step = await turns.next());
}
