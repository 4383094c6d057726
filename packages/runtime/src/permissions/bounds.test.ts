import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ask } from "@troupe/team";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bashCall as bash, permitted, ruleBelow } from "../../test/permitted.ts";
import type { Advisor } from "./advice.ts";
import type { PermissionsDeps } from "./permissions.ts";

let top: string;
let project: string;
let plans: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "bounds-")));
  project = join(top, "project");
  plans = join(top, "plans");
  mkdirSync(project);
  mkdirSync(plans);
  writeFileSync(join(top, "note"), "");
});
afterEach(() => rmSync(top, { recursive: true }));

const { signal } = new AbortController();
const rule = (text: string) => ruleBelow(top)("allow", text);
const create = (more: Partial<PermissionsDeps> = {}) => permitted(project, top, { plans, ...more });

/** The bounds of a command that runs: "nothing" when it may do as it likes. */
async function boundsOf(command: string, more: Partial<PermissionsDeps> = {}, advisor: Advisor = {}) {
  const judgement = await create(more).permit(bash(command), advisor, signal);
  return judgement.runs ? (judgement.bounds ?? "nothing") : judgement.message;
}

describe("a command that nobody allowed", () => {
  test("a command that nobody allowed writes nowhere", async () => {
    for (const mode of ["default", "acceptEdits", "plan", "dontAsk"] as const)
      expect([mode, await boundsOf("cat x | wc -l && git status > /dev/null", { mode })]).toEqual([
        mode,
        { writable: [] },
      ]);
  });

  test("a command that nobody allowed writes in the agent's directories where edits are accepted and it is one", async () => {
    const more = { mode: "acceptEdits" as const, directories: [join(top, "more")] };
    for (const command of ["touch a", "cat x > a", "ls && mkdir b"])
      expect(await boundsOf(command, more)).toEqual({ writable: [project, join(top, "more"), plans] });
  });

  test("a command that nobody allowed writes plans while it plans", async () => {
    expect(await boundsOf(`echo first > ${plans}/p.md`, { mode: "plan" })).toEqual({ writable: [plans] });
  });

  test("a command that nobody allowed stays read-only when a rule only lets it read more", async () => {
    const rules = [rule("Read(/note)")];
    expect(await boundsOf(`cat ${top}/note`, { rules })).toEqual({ writable: [] });
    const edited = { writable: [project, plans] };
    for (const command of [`cat ${top}/note > a`, `cat x > a; cat ${top}/note`])
      expect(await boundsOf(command, { rules, mode: "acceptEdits" })).toEqual(edited);
  });

  test("a command that nobody allowed keeps to its bounds when another answer settled its question", async () => {
    const permissions = create({
      ask: async ({ recheck }) => {
        permissions.setMode("acceptEdits");
        return recheck?.() ?? { behavior: "deny", message: "nobody answered" };
      },
    });
    expect(await permissions.permit(bash("touch a"), {}, signal)).toMatchObject({
      runs: true,
      bounds: { writable: [project, plans] },
    });
  });
});

describe("a command does as it likes", () => {
  test.each(["Bash", "Bash(cat:*)", "Bash(cat *)"])("under the rule %s", async (text) => {
    expect(await boundsOf("cat x", { rules: [rule(text)] })).toBe("nothing");
  });

  test("when one part of it is allowed by a rule, and where a rule lets it write", async () => {
    expect(await boundsOf("npm test | tail", { rules: [rule("Bash(npm test)")] })).toBe("nothing");
    expect(await boundsOf(`echo x > ${top}/out/f`, { rules: [rule("Edit(/out/**)")] })).toBe("nothing");
    const mixed = { mode: "acceptEdits" as const, rules: [rule("Edit(/out/**)")] };
    expect(await boundsOf(`touch a ${top}/out/f`, mixed)).toBe("nothing");
  });

  test("when a person or a hook lets it run, and when permissions are bypassed", async () => {
    const yes = async () => ({ behavior: "allow" }) as const;
    expect(await boundsOf("python3 x.py", { ask: yes })).toBe("nothing");
    expect(await boundsOf("touch a", { ask: yes })).toBe("nothing");
    const update = { type: "setMode", mode: "acceptEdits", destination: "session" } as const;
    const always: Ask = async () => ({ behavior: "allow", updates: [update] });
    expect(await boundsOf("touch a", { ask: always })).toBe("nothing");
    expect(await boundsOf("python3 x.py", {}, { answer: yes })).toBe("nothing");
    expect(await boundsOf("cat x", {}, { before: async () => ({ behavior: "allow" }) })).toBe("nothing");
    expect(await boundsOf("cat x", { mode: "bypassPermissions" })).toBe("nothing");
  });
});
