import { readFileSync } from "node:fs";
import { type ErrorCode, TroupeError } from "@troupe/protocol";
import { expect, test } from "vitest";
import { complaintOf } from "./complaint.ts";
import { jsonText } from "./json.ts";

test.each<[ErrorCode, number]>([
  ["task_blocked", 1],
  ["team_active", 1],
  ["arguments_invalid", 2],
  ["name_invalid", 2],
  ["team_unknown", 3],
  ["recipient_unknown", 3],
  ["lock_unavailable", 4],
  ["document_unreadable", 5],
  ["path_escaping", 5],
])("%s ends with %d, in the words of the error", (code, exit) => {
  const error = new TroupeError(code, "say what to do", { name: "t" });
  expect(complaintOf(error)).toMatchObject({ message: "say what to do", exit, code, details: { name: "t" } });
});

const failing = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return complaintOf(error);
  }
};

test("an error of the operating system is explained in words, with the path", () => {
  expect(failing(() => readFileSync("/no/such/file"))).toMatchObject({
    message: "/no/such/file: there is no such file or directory; check the path",
    exit: 3,
    code: "ENOENT",
  });
  expect(failing(() => readFileSync("/dev/null/x"))).toMatchObject({ exit: 1, code: "ENOTDIR" });
  const unusual = Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE", path: "/x" });
  expect(complaintOf(unusual)).toMatchObject({ message: "/x: EMFILE: too many open files", exit: 1 });
  const named = Object.assign(new Error("EBUSY: busy, unlink '/x'"), { code: "EBUSY", path: "/x" });
  expect(complaintOf(named)).toMatchObject({ message: "EBUSY: busy, unlink '/x'", exit: 1 });
});

test("an error without a code is reported as a bug in troupe", () => {
  expect(complaintOf(new TypeError("x is undefined"))).toMatchObject({
    message: "x is undefined (a bug in troupe: --debug shows where)",
    exit: 70,
    code: "TypeError",
  });
  expect(complaintOf("thrown")).toMatchObject({ message: "thrown", exit: 70 });
});

test("JSON steers no terminal, and says the same", () => {
  const document = { text: "\x1b[2J \x7f \x9b1m \u202e \u2066 \u2028 翻" };
  const text = jsonText(document);
  expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/);
  expect(text).toContain("翻");
  expect(JSON.parse(text)).toEqual(document);
});
