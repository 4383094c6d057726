import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fields } from "../../concurrency/documents.ts";
import { assertMatches, assertThat } from "../assert.ts";
import { digestOf } from "../digest.ts";
import { mateCheck } from "../mate-check.ts";
import type { MateStage } from "../mate-stage.ts";

const bash = (command: string) => ["Bash", { command, description: "make a file" }] as const;

const success = ({ request_id, tool_use_id }: Fields, command: string, more: object = {}) => ({
  type: "permission_response",
  request_id,
  subtype: "success",
  tool_use_id,
  response: { updated_input: { command, description: "make a file" }, permission_updates: [] },
  ...more,
});

const some = { $match: "." };

/** The fields of a suggestion by its kind; others are for the target to know. */
const suggestions: Readonly<Record<string, unknown>> = {
  addDirectories: { directories: { $includes: some }, destination: some },
  setMode: { mode: some, destination: some },
  addRules: { rules: { $includes: { toolName: some } }, behavior: { $match: "^(allow|deny|ask)$" }, destination: some },
};

/** Asks for a command that no rule allows; the request at the lead. */
async function asks({ mate, letter }: MateStage, command: string): Promise<Fields> {
  await mate.calls(bash(command));
  return (await letter("permission_request")).body;
}

/** What a teammate may not do by itself, with the suite as the lead that is asked. */
export const matePermissionChecks = [
  mateCheck({
    id: "PERM-ASK/a",
    level: "L4",
    title: "what needs permission is asked of the lead in eight fields, and waits",
    requirements: ["ATP-PRM-001", "ATP-MSG-014", "ATP-MSG-015", "ATP-MSG-016", "ATP-INB-017"],
    async run(stage) {
      await stage.mate.calls(bash("touch made.txt"));
      const { entry, body } = await stage.letter("permission_request");
      assertMatches("the request", body, {
        request_id: { $match: "^perm-[0-9]{13}-[a-z0-9]{7}$" },
        agent_id: "ann",
        tool_name: "Bash",
        tool_use_id: { $match: "^toolu_" },
        description: { $any: true },
        input: { command: "touch made.txt" },
        permission_suggestions: { $any: true },
      });
      assertThat(Object.keys(body).length === 8, "it has other fields than the eight", body);
      assertMatches("its entry", entry, { from: "ann", color: "blue", summary: { $absent: true } });
      await stage.never("the file before an answer", () => existsSync(join(stage.cwd, "made.txt")));
    },
  }),
  mateCheck({
    id: "PERM-ASK/b",
    level: "L4",
    title: "one that has no screen of its own asks by mail, and its turn waits",
    requirements: ["ATP-PRM-007"],
    async run(stage) {
      await asks(stage, "touch made.txt");
      await stage.never("an answer of nobody", () => stage.mate.isAsked());
    },
  }),
  mateCheck({
    id: "PERM-YES/a",
    level: "L4",
    title: "an answer under the id of the request lets its input run, also one without approved_request",
    requirements: ["ATP-PRM-002", "ATP-PRM-102"],
    async run(stage) {
      const { cwd, mate, put, never, until } = stage;
      const body = await asks(stage, "touch made.txt");
      await put(success({ ...body, request_id: "perm-1770535107409-abcdefg" }, "touch early.txt"));
      await never("the file of an answer to another request", () => existsSync(join(cwd, "early.txt")));
      await put(success(body, "touch other.txt"));
      await until("a file by the input of the answer", () => existsSync(join(cwd, "other.txt")));
      await mate.asked();
      assertThat(!existsSync(join(cwd, "made.txt")), "the input of the call ran");
    },
  }),
  mateCheck({
    id: "PERM-YES/b",
    level: "L4",
    title: "the updates of an answer hold from then on: a rule that it adds lets the next call run",
    requirements: ["ATP-MSG-018"],
    revisions: ["2026-02"],
    async run(stage) {
      const { cwd, mate, put } = stage;
      const body = await asks(stage, "touch made.txt");
      const rules = [{ toolName: "Bash", ruleContent: "touch:*" }];
      const updates = [{ type: "addRules", rules, behavior: "allow", destination: "session" }];
      const updated_input = { command: "touch made.txt", description: "make a file" };
      await put(success(body, "touch made.txt", { response: { updated_input, permission_updates: updates } }));
      await mate.asked();
      await mate.calls(bash("touch again.txt"));
      await stage.until("an end of the call", () => mate.isAsked() || stage.letters("permission_request").length > 1);
      assertThat(existsSync(join(cwd, "again.txt")), "the next call did not run");
      assertMatches("how often it asked", stage.letters("permission_request").length, 1);
    },
  }),
  mateCheck({
    id: "PERM-YES/c",
    level: "L4",
    title: "an answer with the digest of the call lets it run",
    requirements: ["ATP-MSG-106"],
    revisions: ["2026-11"],
    async run(stage) {
      const { cwd, mate, put } = stage;
      const body = await asks(stage, "touch made.txt");
      const { tool_use_id, tool_name } = body;
      const input_digest = digestOf(String(tool_name), body["input"]);
      await put(success(body, "touch made.txt", { approved_request: { tool_use_id, tool_name, input_digest } }));
      await mate.asked();
      assertThat(existsSync(join(cwd, "made.txt")), "the call did not run");
    },
  }),
  mateCheck({
    id: "PERM-SUGGEST/a",
    level: "L4",
    title: "what is suggested to the lead has the fields of its kind",
    requirements: ["ATP-MSG-017"],
    async run({ mate, letters, until, put, cwd }, { scratch }) {
      const calls = [
        bash("touch made.txt"),
        ["Write", { file_path: join(cwd, "made.txt"), content: "made" }],
        ["Read", { file_path: join(scratch, "elsewhere.txt") }],
      ] as const;
      writeFileSync(join(scratch, "elsewhere.txt"), "secret\n");
      for (const [at, call] of calls.entries()) {
        await mate.calls(call);
        const { request_id } = await until("a request", () => letters("permission_request")[at]?.body);
        await put({ type: "permission_response", request_id, subtype: "error", error: "No." });
        await mate.asked();
      }
      const all = letters("permission_request").flatMap(({ body }) => body["permission_suggestions"] as Fields[]);
      assertThat(all.length > 0, "nothing was suggested");
      for (const one of all) assertMatches("a suggestion", one, suggestions[String(one["type"])] ?? {});
    },
  }),
  mateCheck({
    id: "PERM-NO/a",
    level: "L4",
    title: "a refusal leaves the call undone, and tells the model why",
    requirements: ["ATP-PRM-003"],
    async run(stage) {
      const { cwd, mate, put } = stage;
      const { request_id } = await asks(stage, "touch made.txt");
      await put({ type: "permission_response", request_id, subtype: "error", error: "Not in this house." });
      assertThat(JSON.stringify(await mate.asked()).includes("Not in this house."), "the reason is not told");
      assertThat(!existsSync(join(cwd, "made.txt")), "the call ran");
    },
  }),
  mateCheck({
    id: "PERM-FROM/a",
    level: "L4",
    title: "an answer of somebody who does not lead lets nothing run",
    requirements: ["ATP-PRM-005"],
    async run(stage) {
      const body = await asks(stage, "touch made.txt");
      await stage.put(success(body, "touch made.txt"), { from: "bob" });
      await stage.never("the file", () => existsSync(join(stage.cwd, "made.txt")));
    },
  }),
  mateCheck({
    id: "PERM-TWICE/a",
    level: "L4",
    title: "a second answer to a request does not run it again",
    requirements: ["ATP-PRM-006"],
    async run(stage) {
      const { cwd, mate, put, never } = stage;
      const command = "echo once >> made.txt";
      const body = await asks(stage, command);
      await put(success(body, command));
      await mate.asked();
      await put(success(body, command));
      await mate.says("Done.");
      await never("a second line", () => readFileSync(join(cwd, "made.txt"), "utf8") !== "once\n");
    },
  }),
  mateCheck({
    id: "PERM-READ/a",
    level: "L4",
    title: "reading in the project asks nobody, reading elsewhere asks the lead",
    requirements: ["ATP-PRM-004"],
    with: { mode: "acceptEdits" },
    async run({ mate, cwd, letter, letters }, { scratch }) {
      const [result] = await mate.does(["Read", { file_path: join(cwd, "notes.txt") }]);
      assertThat(/Read the grammar/.test(result?.text ?? ""), "the file of the project was not read", result);
      assertThat(letters("permission_request").length === 0, "reading in the project was asked about");
      writeFileSync(join(scratch, "elsewhere.txt"), "secret\n");
      await mate.calls(["Read", { file_path: join(scratch, "elsewhere.txt") }]);
      await letter("permission_request");
    },
  }),
  mateCheck({
    id: "PERM-OTHER/a",
    level: "L4",
    title: "an answer that describes another call lets nothing run",
    requirements: ["ATP-PRM-101"],
    revisions: ["2026-11"],
    async run(stage) {
      const { cwd, mate, put } = stage;
      const body = await asks(stage, "touch made.txt");
      const approved = { tool_use_id: body["tool_use_id"], tool_name: "Bash", input_digest: "0".repeat(64) };
      await put(success(body, "touch made.txt", { approved_request: approved }));
      await put("Are you there?");
      await mate.asked();
      assertThat(!existsSync(join(cwd, "made.txt")), "the call ran");
    },
  }),
];
