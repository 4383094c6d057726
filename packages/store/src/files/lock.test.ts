import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { test } from "../../test/scratch.ts";
import { type Held, takeLease, withLock, withLocks } from "./lock.ts";
import { publish } from "./publication.ts";

const quick = { deadlineMs: 60, staleMs: 10_000 };
const aged = (path: string, ms: number) => {
  const then = new Date(Date.now() - ms);
  utimesSync(path, then, then);
};

test("[ATP-LCK-101] a lock is the directory <file>.lock while the work runs, and gone after it", async ({ file }) => {
  const seen = await withLock(file, () => readdirSync(join(file, "..")));
  expect(seen).toEqual(["alice.json.lock"]);
  expect(readdirSync(join(file, ".."))).toEqual([]);
});

test("work that throws gives the lock up and its error on", async ({ file }) => {
  const attempt = withLock(file, () => {
    throw new Error("the work failed");
  });
  await expect(attempt).rejects.toThrow("the work failed");
  expect(existsSync(`${file}.lock`)).toBe(false);
});

test("callers of one process are served one after the other, in the order of asking", async ({ file }) => {
  const order: number[] = [];
  await Promise.all(Array.from({ length: 50 }, (_, n) => withLock(file, () => order.push(n))));
  expect(order).toEqual(Array.from({ length: 50 }, (_, n) => n));
});

test("[ATP-LCK-103] a process that held a contended lock leaves it to others for as long before it asks again", async ({
  file,
}) => {
  const order: string[] = [];
  const lock = `${file}.lock`;
  /** Everything that needs no timer and no disk but that of its own is done. */
  const settle = async () => {
    for (let n = 0; n < 100; n += 1) await undefined;
  };
  const long = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  mkdirSync(lock);
  const first = withLock(file, () => {
    long();
    order.push("first");
  });
  await settle();
  rmdirSync(lock);
  await first;
  const second = withLock(file, () => order.push("second"));
  await settle();
  mkdirSync(lock);
  order.push("another");
  rmdirSync(lock);
  await second;
  expect(order).toEqual(["first", "another", "second"]);
});

test("a process whose lock nobody else wanted takes it again at once", async ({ file }) => {
  const order: string[] = [];
  await withLock(file, () => order.push("first"));
  const second = withLock(file, () => order.push("second"));
  for (let n = 0; n < 100; n += 1) await undefined;
  order.push("what needs no timer");
  await second;
  expect(order).toEqual(["first", "second", "what needs no timer"]);
});

test("[ATP-LCK-014] [ATP-LCK-102] a lock of somebody else that is young is respected, and the error names it and its age", async ({
  file,
}) => {
  mkdirSync(`${file}.lock`);
  aged(`${file}.lock`, 9_000);
  const attempt = withLock(file, () => "never", quick);
  await expect(attempt).rejects.toMatchObject({ code: "lock_unavailable", details: { lock: `${file}.lock` } });
  await expect(withLock(file, () => "never", quick)).rejects.toThrow(/was made 9\d\d\d ms ago/);
  expect(existsSync(`${file}.lock`)).toBe(true);
});

test("[ATP-LCK-006] a lock older than ten seconds was left behind and is taken over, with what its holder had prepared", async ({
  file,
}) => {
  let left: Held | undefined;
  await withLock(file, (held) => {
    left = held;
  });
  mkdirSync(`${file}.lock`);
  aged(`${file}.lock`, 11_000);
  expect(await withLock(file, () => "mine")).toBe("mine");
  expect(left?.temporaryFor(file)).toMatch(/alice\.json\.tmp\.[0-9a-f]{8}$/);
  expect(readdirSync(join(file, ".."))).toEqual([]);
});

test("[ATP-LCK-008] a holder that was stopped past the limit cannot publish any more", async ({ file }) => {
  writeFileSync(file, "old");
  const attempt = withLock(file, (held) => {
    rmSync(`${file}.lock`, { recursive: true });
    mkdirSync(`${file}.lock`);
    aged(`${file}.lock`, 1);
    publish(held, file, "late");
  });
  await expect(attempt).rejects.toMatchObject({ code: "lock_lost" });
  expect(existsSync(`${file}.lock`)).toBe(true);
  expect(readdirSync(join(file, "..")).sort()).toEqual(["alice.json", "alice.json.lock"]);
});

test("no two holders of one lock prepare what they publish in the same file", async ({ file }) => {
  const names = new Set<string>();
  for (let n = 0; n < 3; n += 1) await withLock(file, (held) => names.add(held.temporaryFor(file)));
  expect(names.size).toBe(3);
});

test("[ATP-LCK-007] while one takes a lock away that was left behind, nobody else does", async ({ file }) => {
  const [lock, guard] = [`${file}.lock`, `${file}.lock.break`];
  for (const made of [lock, guard]) mkdirSync(made);
  aged(lock, 11_000);
  const { ino } = statSync(lock);
  let isIn = false;
  const waiting = withLock(file, () => {
    isIn = true;
  });
  // Without the guard the second look would do.
  for (const end = performance.now() + 50; performance.now() < end; ) await new Promise(setImmediate);
  expect([isIn, statSync(lock).ino]).toEqual([false, ino]);
  rmSync(guard, { recursive: true });
  await waiting;
  expect(isIn).toBe(true);
});

test("[ATP-LCK-007] whoever found a lock left behind takes no other away that has its place since", async ({
  file,
}) => {
  const lock = `${file}.lock`;
  const isLeft = () => statSync(lock, { throwIfNoEntry: false })?.mtimeMs === 1_000;
  // Each round lets it come one step further before another takes the lock over, until it has done
  // so itself.
  for (let steps = 0, isThrough = false; !isThrough; steps += 1) {
    mkdirSync(lock);
    utimesSync(lock, 1, 1);
    const waiting = withLock(file, () => "ran", quick).catch(({ code }) => code);
    for (let step = 0; step < steps; step += 1) await undefined;
    isThrough = !isLeft();
    if (!isThrough) {
      rmdirSync(lock);
      mkdirSync(lock);
    }
    expect(await waiting).toBe(isThrough ? "ran" : "lock_unavailable");
    rmSync(lock, { recursive: true, force: true });
  }
});

test("a guard that a dying breaker left behind holds nobody up for good", async ({ file }) => {
  for (const left of [`${file}.lock`, `${file}.lock.break`]) {
    mkdirSync(left);
    aged(left, 11_000);
  }
  expect(await withLock(file, () => "mine")).toBe("mine");
  expect(readdirSync(join(file, ".."))).toEqual([]);
});

test("a lock whose clock lies in the future is taken over once it was seen for the limit", async ({ file }) => {
  mkdirSync(`${file}.lock`);
  aged(`${file}.lock`, -3_600_000);
  expect(await withLock(file, () => "mine", { deadlineMs: 5_000, staleMs: 40 })).toBe("mine");
});

test("where no lock can be made the error says which", async ({ file }) => {
  await expect(withLock(join(file, "nowhere", "x.json"), () => 1)).rejects.toMatchObject({ code: "lock_impossible" });
});

test("several locks are held together, given up together, and none while another is waited for", async ({ file }) => {
  const files = [file, `${file}.2`, `${file}.3`];
  const held = await withLocks(files, (locks) => {
    expect(new Set(files.map(locks.temporaryFor)).size).toBe(3);
    return readdirSync(join(file, ".."));
  });
  expect(held.sort()).toEqual(["alice.json.2.lock", "alice.json.3.lock", "alice.json.lock"]);
  expect(readdirSync(join(file, ".."))).toEqual([]);

  mkdirSync(`${file}.3.lock`);
  const seen: string[][] = [];
  const looking = setInterval(() => seen.push(readdirSync(join(file, ".."))), 3);
  const waiting = withLocks(files, () => "never", { deadlineMs: 700, staleMs: 10_000 });
  await expect(waiting).rejects.toMatchObject({ code: "lock_unavailable", details: { file: `${file}.3` } });
  clearInterval(looking);
  expect(seen.length).toBeGreaterThan(0);
  expect(new Set(seen.flat())).toEqual(new Set(["alice.json.3.lock"]));
  expect(readdirSync(join(file, ".."))).toEqual(["alice.json.3.lock"]);
});

test("a lease is held by one, kept alive for as long as its holder lives, and given up on request", async ({
  file,
}) => {
  const limits = { deadlineMs: 1_500, staleMs: 1_000 };
  const first = await takeLease(file, limits);
  const second = takeLease(file, limits);
  await expect(second).rejects.toMatchObject({ code: "lock_unavailable" });
  first.assertHeld();
  first.release();
  const third = await takeLease(file, limits);
  expect(() => first.assertHeld()).toThrow(expect.objectContaining({ code: "lock_lost" }));
  first.release();
  third.assertHeld();
  third.release();
  expect(readdirSync(join(file, ".."))).toEqual([]);
});

test("a lease that was taken over is not held, and is not given up for another", async ({ file }) => {
  const lease = await takeLease(file);
  rmSync(`${file}.lock`, { recursive: true });
  mkdirSync(`${file}.lock`);
  aged(`${file}.lock`, 1);
  expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: "lock_lost" }));
  lease.release();
  expect(readdirSync(join(file, ".."))).toEqual(["alice.json.lock"]);
});

test("those who want the same locks in different orders all get them", async ({ file }) => {
  const files = [1, 2, 3, 4].map((n) => `${file}.${n}`);
  let inside = 0;
  const work = () => {
    inside += 1;
    return inside;
  };
  await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      withLocks([...files.slice(n % 4), ...files.slice(0, n % 4)].slice(0, 3), work),
    ),
  );
  expect(inside).toBe(40);
  expect(readdirSync(join(file, ".."))).toEqual([]);
});

test("[ATP-LCK-008] with one of several locks all that their holder prepared is taken away, however young", async ({
  file,
}) => {
  const other = `${file}.2`;
  // The lock stands as its stopped holder left it: put aside while the holder ends, and then back.
  const prepared = await withLocks([file, other], (held) => {
    renameSync(`${file}.lock`, `${file}.aside`);
    return [file, other].map((one) => held.temporaryFor(one));
  });
  renameSync(`${file}.aside`, `${file}.lock`);
  for (const name of [...prepared, `${other}.tmp.00000000`]) {
    writeFileSync(name, "prepared");
    aged(name, -10_000);
  }
  await withLock(file, () => undefined, { staleMs: 60, deadlineMs: 5_000 });
  expect(readdirSync(join(file, ".."))).toEqual(["alice.json.2.tmp.00000000"]);
});

test("[ATP-LCK-008] whoever lost one of several locks publishes under none of them", async ({ file }) => {
  const other = `${file}.2`;
  const attempt = withLocks([file, other], (held) => {
    rmSync(`${file}.lock`, { recursive: true });
    publish(held, other, "late");
  });
  await expect(attempt).rejects.toMatchObject({ code: "lock_lost", details: { file } });
  expect(readdirSync(join(file, ".."))).toEqual([]);
});
