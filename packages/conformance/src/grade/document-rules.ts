import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { documents } from "./parts.ts";
import { type Rule, type Subject, violation } from "./rule.ts";

const beside = (subject: Subject, path: string): string => join(subject.root, path);

const wordsOf = {
  unreadable: "is no regular file, or larger than any document",
  bom: "begins with a byte order mark",
  encoding: "is not UTF-8",
  empty: "is empty",
  torn: "stops in the middle",
  surplus: "has surplus bytes behind its value",
  syntax: "is no JSON",
};

/** Rules about bytes and places. */
export const documentRules: readonly Rule[] = [
  {
    id: "GRADE-FILE/a",
    title: "documents are UTF-8 without a byte order mark",
    requirements: ["ATP-FS-011"],
    judge: (subject) =>
      documents(subject).map((part) =>
        part.document.faults
          .filter((fault) => fault === "bom" || fault === "encoding")
          .map((fault) => violation(part, wordsOf[fault])),
      ),
  },
  {
    id: "GRADE-FILE/b",
    title: "documents at rest are whole JSON",
    requirements: ["ATP-LCK-011"],
    judge: (subject) =>
      documents(subject).map((part) =>
        part.document.faults
          .filter((fault) => fault !== "bom" && fault !== "encoding")
          .map((fault) => violation(part, wordsOf[fault])),
      ),
  },
  {
    id: "GRADE-FILE/c",
    title: "documents are indented by two spaces and end without a newline",
    requirements: ["ATP-FS-107"],
    judge: (subject) =>
      documents(subject)
        .filter(({ document }) => document.faults.length === 0)
        .map((part) =>
          part.document.text === JSON.stringify(part.value, undefined, 2)
            ? []
            : [violation(part, "is laid out in another way")],
        ),
  },
  {
    id: "GRADE-FILE/d",
    title: "documents can be read by their owner alone",
    requirements: ["ATP-FS-013"],
    judge: (subject) =>
      documents(subject).map((part) => {
        const mode = lstatSync(beside(subject, part.path)).mode & 0o777;
        return (mode & 0o077) === 0 ? [] : [violation(part, `has the mode ${mode.toString(8)}`)];
      }),
  },
  {
    id: "GRADE-LOCK/a",
    title: "a task list of a team has its .lock",
    requirements: ["ATP-FS-004"],
    judge: (subject) =>
      subject.teams.map(({ name }) =>
        existsSync(beside(subject, `tasks/${name}/.lock`))
          ? []
          : [{ path: `tasks/${name}/.lock`, at: "", message: "is not there" }],
      ),
  },
  {
    id: "GRADE-MARK/a",
    title: "a high-water mark is a bare decimal",
    requirements: ["ATP-TSK-103"],
    judge: ({ taskLists }) =>
      taskLists
        .filter(({ highWaterMark }) => highWaterMark !== undefined)
        .map(({ name, highWaterMark = "" }) =>
          /^[0-9]+$/.test(highWaterMark)
            ? []
            : [{ path: `tasks/${name}/.highwatermark`, at: "", message: `is ${JSON.stringify(highWaterMark)}` }],
        ),
  },
];
