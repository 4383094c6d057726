import { expect, test } from "vitest";
import { check } from "../../test/sample-report.ts";
import { askedOf, callOf, violationsOf } from "./violation.ts";

test("a place is a document, and a pointer into it where there is one", () => {
  const at = (place: unknown) => violationsOf(check({ message: "wrong", evidence: { at: place as string } }));
  expect(at("tasks/t/1.json /blocks/0")).toEqual([{ message: "wrong", path: "tasks/t/1.json", pointer: "/blocks/0" }]);
  expect(at("")).toEqual([{ message: "wrong" }]);
  expect(at("teams/my team/config.json")).toEqual([{ message: "wrong", path: "teams/my team/config.json" }]);
  expect(at(7)).toEqual([{ message: "wrong" }]);
});

test("several findings are told one by one, with their own messages and lines", () => {
  const findings = [
    { path: "tasks/a b.json", at: "/status", message: "one", line: 3 },
    "no finding",
    { path: "b.json", at: "", line: -1 },
  ];
  expect(violationsOf(check({ message: "both", evidence: { findings } }))).toEqual([
    { message: "one", path: "tasks/a b.json", pointer: "/status", line: 3 },
    { message: "both", path: "b.json" },
  ]);
});

test("a failure without a message shows the title of its check", () => {
  expect(violationsOf(check({ verdict: "fail" }))).toEqual([{ message: "ids of tasks count from 1 as text" }]);
});

test("the expected value of a data case is what it requires of the document", () => {
  expect(askedOf({ expected: { has: { id: "1" } } })).toEqual({ id: "1" });
  expect(askedOf({ expected: { has: 1, lacks: ["x"] } })).toEqual({ has: 1, lacks: ["x"] });
});

test("the call that went wrong is told under either of its names", () => {
  const call = { method: "task.get", params: { id: "1" } };
  expect([callOf({ call }), callOf({ called: call }), callOf({})]).toEqual([
    'task.get {"id": "1"}',
    'task.get {"id": "1"}',
    undefined,
  ]);
});
