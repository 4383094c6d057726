import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import type { MessageDraft } from "../messages/body.ts";
import { publishedFiles } from "../published.ts";
import type { Member } from "../team.ts";
import type { Codec } from "./codec.ts";
import { codecFor, detectForm } from "./detect.ts";
import type { Revision } from "./revision.ts";

const corpus = join(import.meta.dirname, "../../corpus/client");
const reference: Record<string, Revision> = { "2.1.41": "2026-02", "2.1.118": "2026-02", "2.1.326": "2026-11" };

/** Files a real client wrote, in the order of their numbers; what begins with `_` is about them. */
const scenes = Object.entries(reference).flatMap(([version, revision]) =>
  readdirSync(join(corpus, version)).map((scene) => {
    const folder = join(corpus, version, scene);
    const names = readdirSync(folder).filter((name) => /^[0-9]/.test(name));
    const files = names.map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
    return { version, revision, scene, files };
  }),
);
const torn = ["024-teams__session-7525cb01__config.json", "028-teams__session-7525cb01__config.json"];

function kindOf(name: string): "team" | "inbox" | "task" | undefined {
  const path = name.replace(/^[0-9]+-/, "").replaceAll("__", "/");
  if (!/\.json(\.tmp\.[0-9a-f]{8})?$/.test(path)) return undefined;
  if (path.endsWith("config.json")) return "team";
  return path.includes("/inboxes/") ? "inbox" : "task";
}

function read(codec: Codec, name: string, text: string) {
  if (kindOf(name) === "team") return codec.readTeam(text, name.split("__")[1]);
  if (kindOf(name) === "inbox") return codec.readInbox(text);
  return codec.readTask(text, name.split("__").at(-1)?.replace(".json", "") ?? "");
}

describe.each(scenes)("client $version, $scene", ({ revision, files, scene }) => {
  const codec = codecFor(revision);
  const documents = files.filter(({ name }) => kindOf(name) !== undefined);
  const sound = documents.filter(({ name }) => !(scene === "tmux" && torn.includes(name)));

  test("[ATP-FS-107] every document is right, and is written back to the very bytes the client wrote", () => {
    expect(sound.length).toBeGreaterThan(0);
    for (const { name, text } of sound) {
      const found = read(codec, name, text);
      expect(found.problems, name).toEqual([]);
      expect(codec.write(found.raw), name).toBe(text);
    }
  });

  test("every document validates with ajv against the schema of its revision", () => {
    const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
    const schemas = publishedFiles(revision);
    const file = { team: "team-config.json", inbox: "inbox.json", task: "task.json" };
    for (const { name, text } of sound) {
      const kind = kindOf(name);
      const schema = kind && schemas.get(file[kind]);
      if (!schema) throw new Error(`no schema for ${name}`);
      const validate = ajv.getSchema(String(schema["$id"])) ?? ajv.compile(schema);
      expect(validate(JSON.parse(text)), `${name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    }
  });

  test("every body is one of ours, rendered to the very bytes the client wrote", () => {
    for (const { name, text } of sound.filter(({ name }) => kindOf(name) === "inbox")) {
      for (const entry of codec.readInbox(text).entries) {
        const body = codec.readBody(entry.text);
        if (body.kind === "text") continue;
        if (body.kind !== "message") throw new Error(`${name}: ${body.kind}`);
        expect(body.problems).toEqual([]);
        const { from, timestamp, color, msg_id } = entry;
        const again = codec.newEntry({
          from: { name: from, color },
          content: { body: body.body as MessageDraft },
          timestamp,
          messageId: msg_id ?? "",
        });
        expect(again.text).toBe(entry.text);
      }
    }
  });

  test("every entry is what our writer makes of the same message", () => {
    for (const { name, text } of sound.filter(({ name }) => kindOf(name) === "inbox")) {
      for (const entry of codec.readInbox(text).entries) {
        const body = codec.readBody(entry.text);
        const content =
          body.kind === "message" ? { body: body.body as MessageDraft } : { text: entry.text, summary: entry.summary };
        const { read: _read, lead_sig: _sig, ...theirs } = entry;
        const ours = codec.newEntry({
          from: { name: entry.from, color: entry.color },
          content,
          timestamp: entry.timestamp,
          messageId: entry.msg_id ?? "",
        });
        const { read: _ours, ...mine } = ours;
        expect(JSON.stringify(mine), name).toBe(JSON.stringify(theirs));
      }
    }
  });

  test("the form is found from the files", () => {
    const config = documents.find(({ name }) => name.endsWith("config.json"));
    const inboxes = documents.filter(({ name }) => kindOf(name) === "inbox").map(({ text }) => text);
    expect(detectForm(config?.text ?? "", inboxes)).toBe(revision);
  });
});

test("[ATP-LCK-104] a config with surplus bytes is reported as torn and read as the document before them", () => {
  const files = scenes.find(({ scene }) => scene === "tmux")?.files.filter(({ name }) => torn.includes(name)) ?? [];
  expect(files).toHaveLength(2);
  for (const { name, text } of files) {
    const found = codecFor("2026-11").readTeam(text, name.split("__")[1]);
    expect(found.problems).toMatchObject([{ code: "document_torn" }]);
    expect(found.value?.members).toHaveLength(3);
    expect(`${codecFor("2026-11").write(found.raw)}}`).toBe(text);
  }
});

test("our new team, member and task are the client's, byte for byte", () => {
  const of = (version: string, scene: string, number: string) =>
    JSON.parse(
      scenes
        .find((one) => one.version === version && one.scene === scene)
        ?.files.find(({ name }) => name.startsWith(number))?.text ?? "",
    );
  for (const [revision, team] of [
    ["2026-02", of("2.1.41", "in-process", "004")],
    ["2026-11", of("2.1.326", "in-process", "012")],
  ] as const) {
    const codec = codecFor(revision);
    const { name, description, createdAt, leadSessionId, leadProcess, members } = team;
    const [lead, ...mates] = members;
    const fresh = codec.newTeam({
      name,
      description,
      createdAt,
      leadSessionId,
      leadProcess,
      leadModel: lead.model ?? "m",
      cwd: lead.cwd,
    });
    const written = mates.reduce(
      (config: object, mate: Parameters<Codec["newTeammate"]>[0] & Pick<Member, "tmuxPaneId" | "backendType">) => {
        const read = () => codec.readTeam(codec.write(config), name);
        config = codec.addMember(read(), codec.newTeammate({ ...mate, team: name }));
        const { tmuxPaneId, backendType } = mate;
        return codec.amendMember(read(), mate.name, { tmuxPaneId, backendType });
      },
      fresh,
    );
    expect(codec.write(written)).toBe(codec.write(team));
  }
  const task = of("2.1.326", "in-process", "002");
  expect(codecFor("2026-11").write(codecFor("2026-11").newTask(task))).toBe(codecFor("2026-11").write(task));
});
