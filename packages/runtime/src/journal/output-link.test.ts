import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { agentFiles, linkOutput } from "./files.ts";

const uid = process.getuid?.() ?? 0;

function place() {
  const home = scratch();
  const temporary = join(home, "tmp");
  mkdirSync(temporary);
  const transcript = join(home, "agent-a1.jsonl");
  writeFileSync(transcript, "a line\n");
  const deps = { temporary, uid, project: "/srv/project", sessionId: "s1" };
  return {
    home,
    transcript,
    own: join(temporary, `claude-${uid}`),
    directory: agentFiles({ ...deps, root: temporary, cwd: deps.project })[1] ?? "",
    link: (over: Partial<typeof deps> = {}) => linkOutput("a1", transcript, { ...deps, ...over }),
  };
}

test("[ASYNC-16] the output of an agent is a link to its transcript, in directories that only this user can enter", () => {
  const { own, transcript, directory, link } = place();
  expect(link()).toBe(join(directory, "a1.output"));
  expect(directory).toBe(join(own, "-srv-project/s1/tasks"));
  expect(readlinkSync(link())).toBe(transcript);
  const above = [directory, dirname(directory), dirname(dirname(directory)), own];
  expect(above.map((one) => statSync(one).mode & 0o777)).toEqual([0o700, 0o700, 0o700, 0o700]);
});

test("a link that is left from before is replaced, and what it leads to stays", () => {
  const { home, transcript, directory, link } = place();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const other = join(home, "other");
  writeFileSync(other, "other");
  symlinkSync(other, join(directory, "a1.output"));
  expect(readlinkSync(link())).toBe(transcript);
  expect(readFileSync(other, "utf8")).toBe("other");
});

test.each([0o777, 0o770, 0o702])(
  "where others could write to the directory (%o), the output is the transcript",
  (mode) => {
    const { own, transcript, link } = place();
    mkdirSync(own);
    chmodSync(own, mode);
    expect(link()).toBe(transcript);
    expect(readdirSync(own)).toEqual([]);
  },
);

test("where the directory is a link to another, the output is the transcript, and nothing is made there", () => {
  const { home, own, transcript, link } = place();
  const elsewhere = join(home, "elsewhere");
  mkdirSync(elsewhere, { mode: 0o700 });
  symlinkSync(elsewhere, own);
  expect(link()).toBe(transcript);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("where the directory belongs to another user, the output is the transcript", () => {
  const { home, transcript, link } = place();
  mkdirSync(join(home, `tmp/claude-${uid + 1}`), { mode: 0o700 });
  expect(link({ uid: uid + 1 })).toBe(transcript);
  expect(readdirSync(join(home, `tmp/claude-${uid + 1}`))).toEqual([]);
});

test("where a file is in the way, the output is the transcript, and the file stays", () => {
  const { own, transcript, link } = place();
  writeFileSync(own, "planted");
  expect(link()).toBe(transcript);
  expect(lstatSync(own).isFile()).toBe(true);
  const next = place();
  mkdirSync(join(next.directory, "a1.output"), { recursive: true, mode: 0o700 });
  expect(next.link()).toBe(next.transcript);
});
