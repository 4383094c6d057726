import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scene } from "./scene.ts";

/** The shared task list, as the lead's model changes it. */
export async function observeTasks({ lead, root, name, entries, observe }: Scene): Promise<void> {
  const place = join(root, "tasks", name);
  const task = (id: string) => JSON.parse(readFileSync(join(place, `${id}.json`), "utf8"));
  const update = async (taskId: string, more: object) => (await lead.does(["TaskUpdate", { taskId, ...more }]))[0];
  async function create(subject: string): Promise<string> {
    const [said = ""] = await lead.does(["TaskCreate", { subject, description: "d" }]);
    return /#(\d+)/.exec(said)?.[1] ?? "";
  }
  const one = await create("one");
  const two = await create("two");
  await observe("keys of a new task", () => Object.keys(task(one)));
  await observe("mode of a task, and bytes of .lock", () => [
    (statSync(join(place, `${one}.json`)).mode & 0o777).toString(8),
    statSync(join(place, ".lock")).size,
  ]);
  await update(two, { addBlockedBy: [one] });
  await observe("a dependency stands on both sides", () => [
    task(one).blocks.includes(two),
    task(two).blockedBy.includes(one),
  ]);
  await observe("a blocked task in the list", async () => {
    const [list = ""] = await lead.does(["TaskList", {}]);
    return list
      .split("\n")
      .find((line) => line.includes("two"))
      ?.replaceAll(`#${one}`, "#<one>")
      .replaceAll(`#${two}`, "#<two>");
  });
  await update(one, { owner: "ghost" });
  await observe("keys of a task with a new owner", () => Object.keys(task(one)));
  await observe("an owner who is no member gets an assignment", async () => {
    const { owner, keys } = await entries.find("it", ({ body }) => body?.["type"] === "task_assignment");
    return [owner, keys];
  });
  await observe("keys of an assignment", async () => Object.keys((await entries.ofType("task_assignment")).body ?? {}));
  await observe("a task that its lead gives itself is told to it", async () => {
    await update(two, { owner: "team-lead" });
    const own = ({ owner, body }: { owner: string; body: Readonly<Record<string, unknown>> | undefined }) =>
      owner === "team-lead" && body?.["type"] === "task_assignment";
    return entries.find("it", own).then(
      () => true,
      () => false,
    );
  });
  await observe("completing leaves the id in blockedBy of others", async () => {
    await update(one, { status: "completed" });
    return task(two).blockedBy.includes(one);
  });
  await observe("keys that it does not know are lost when it writes", async () => {
    writeFileSync(join(place, `${two}.json`), JSON.stringify({ ...task(two), strange: 1 }, null, 2));
    await update(two, { status: "in_progress" });
    return !Object.hasOwn(task(two), "strange");
  });
  await observe("a task that is deleted: its file, the high-water mark, the next id", async () => {
    const three = await create("three");
    await update(three, { status: "deleted" });
    const mark = readFileSync(join(place, ".highwatermark"), "utf8");
    const next = await create("four");
    const files = readdirSync(place);
    return [files.includes(`${three}.json`), mark === three, Number(next) - Number(three)];
  });
}
