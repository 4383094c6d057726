import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { describeWith } from "../require.ts";
import { start, test } from "../store/processes.ts";
import { describeConfined, processesWith, project, scratch, shellIn } from "./confined.ts";

const reading = { writable: [] };

/** Promises that only Linux keeps. */
describeWith("bwrap", "of bubblewrap", () =>
  describeConfined("a command", (confinement) => {
    test("finds and signals no process but its own", async () => {
      const { run } = shellIn(project(), confinement);
      const { text } = await run(`kill -0 ${process.pid}; ls /proc | grep -c '^[0-9]'`, reading);
      expect(text).toMatch(/No such process\n[1-9]$/);
    });

    test("sends nothing to a socket with a path by a pair of its own", async () => {
      const script = `const { spawnSync } = require("child_process")`;
      const { run } = shellIn(project(), confinement);
      expect((await run(`node -e '${script}; console.log(spawnSync("true").status)'`, reading)).text).toBe("0");
      const pair = "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)";
      expect((await run(`python3 -c '${pair}'`, reading)).text).toContain("PermissionError");
      const stream = "import socket; socket.socketpair(); print(1)";
      expect((await run(`python3 -c '${stream}'`, reading)).text).toBe("1");
    });

    test("ends with the process that started it, also when that is killed", async ({ root }) => {
      const mark = `mark-${process.pid}-${Math.random()}`;
      const { child, heard } = start("../runtime/sleeper.mjs", { cwd: root, mark });
      await heard(/^ready$/);
      await untilSeen("what it starts", () => processesWith(mark).length > 2);
      child.kill("SIGKILL");
      await once(child, "close");
      await untilSeen("the end of what ran confined", () => processesWith(mark).length === 0);
    });

    test("cannot make itself a place where it may write", async () => {
      const cwd = project();
      const { run } = shellIn(cwd, confinement);
      for (const command of [
        "mount -o remount,rw /",
        "unshare -Urm sh -c 'mount -o remount,rw / ; touch made'",
        "unshare -Urm sh -c 'mount --bind . . && touch made'",
        `touch /proc/1/root${join(cwd, "made")}`,
        `touch /proc/${process.pid}/root${join(cwd, "made")}`,
        "cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness",
      ])
        expect([command, (await run(command, reading)).isError]).toEqual([command, true]);
      expect(existsSync(join(cwd, "made"))).toBe(false);
    });

    test("sees the shared memory of the system, and files of others as they are", async () => {
      const { run } = shellIn(scratch(), confinement);
      const command = "stat -c '%U %A' /etc/passwd /dev/shm; ls /dev/shm | wc -l";
      const [owner, ...rest] = execFileSync("sh", ["-c", command], { encoding: "utf8" }).trimEnd().split("\n");
      const [seen, ...others] = (await run(command, reading)).text.split("\n");
      expect(others).toEqual(process.getuid?.() === 0 ? rest : expect.anything());
      expect(seen?.split(" ")[1]).toBe(owner?.split(" ")[1]);
    });
  }),
);
