import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands, hooked, never } from "../../test/hooked.ts";
import { placeAt } from "../../test/place.ts";
import { scratch } from "../../test/scratch.ts";
import type { Workspaces } from "../workspace.ts";
import { withHooks } from "./worktree-hooks.ts";

const elsewhere = placeAt("/elsewhere", { branch: "b" });
const inner: Workspaces = { open: async () => elsewhere };

function opening(hooks: Readonly<Record<string, unknown>>, name = "agent-1") {
  const cwd = realpathSync(scratch());
  const shown: string[] = [];
  const stops: string[] = [];
  const reports = { show: (text: string) => shown.push(text), stop: (text: string) => stops.push(text) };
  const workspaces = withHooks(inner, hooked(hooks, { projectDir: cwd }), reports);
  return { cwd, shown, stops, opened: workspaces.open(name, never) };
}

test("[WT-05] [ATP-WT-004] what a hook makes is used instead of anything else, stays, and a hook hears that it is no longer needed", async () => {
  const { cwd, opened } = opening({
    WorktreeCreate: commands("cat > made.json; mkdir made; echo Preparing; echo $PWD/made/"),
    WorktreeRemove: commands("cat >> removed.json"),
  });
  const workspace = await opened;
  expect(workspace).toMatchObject({ path: join(cwd, "made") });
  expect(await workspace.release()).toEqual({ isKept: true });
  expect(await workspace.release()).toEqual({ isKept: true });
  expect(JSON.parse(readFileSync(join(cwd, "made.json"), "utf8"))).toMatchObject({ name: "agent-1" });
  expect(JSON.parse(readFileSync(join(cwd, "removed.json"), "utf8"))).toMatchObject({ worktree_path: workspace.path });
  expect(existsSync(workspace.path)).toBe(true);
});

test("a place that its hook removes is not said to be there", async () => {
  const { opened } = opening({ WorktreeCreate: commands("mkdir m; echo $PWD/m"), WorktreeRemove: commands("rmdir m") });
  expect(await (await opened).release()).toEqual({ isKept: false });
});

test("without a hook that names a directory the place is the usual one", async () => {
  expect(await opening({}).opened).toBe(elsewhere);
  expect(await opening({ WorktreeCreate: commands("true") }).opened).toBe(elsewhere);
});

test("a hook that fails makes the opening fail, for its reason; so does one that stops the agent", async () => {
  await expect(opening({ WorktreeCreate: commands("echo no room >&2; exit 1") }).opened).rejects.toThrow(/no room/);
  const unreachable = [{ hooks: [{ type: "http", url: "http://127.0.0.1:1/" }] }];
  const broken = opening({ WorktreeCreate: unreachable });
  await expect(broken.opened).rejects.toThrow(/http hook of WorktreeCreate/);
  expect(broken.shown).toHaveLength(1);
  const stopping = opening({ WorktreeCreate: commands(`echo '{"continue":false,"stopReason":"enough"}'`) });
  await expect(stopping.opened).rejects.toThrow(/enough/);
  expect(stopping.stops).toEqual(["enough"]);
});

test.each([
  ["made", /not an absolute path/],
  ["$PWD/made/../made", /not an absolute path/],
  ["$PWD/none", /not a directory/],
  ["$PWD/link", /through a link to .*outside/],
  ["$PWD/link/below", /through a link to .*outside.below/],
])("a hook that prints %s has made no place to work in", async (path, why) => {
  const outside = join(realpathSync(scratch()), "outside");
  mkdirSync(join(outside, "below"), { recursive: true });
  const { opened } = opening({ WorktreeCreate: commands(`mkdir made; ln -s '${outside}' link; echo ${path}`) });
  await expect(opened).rejects.toMatchObject({ code: "path_escaping", message: expect.stringMatching(why) });
});

test("a name that leads elsewhere reaches no hook, and one of two segments reaches it as one", async () => {
  const { cwd, opened } = opening({ WorktreeCreate: commands("touch ran") }, "../x");
  await expect(opened).rejects.toMatchObject({ code: "name_invalid" });
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  const nested = opening({ WorktreeCreate: commands("cat > event.json") }, "user/x");
  await nested.opened;
  expect(JSON.parse(readFileSync(join(nested.cwd, "event.json"), "utf8")).name).toBe("user+x");
});
