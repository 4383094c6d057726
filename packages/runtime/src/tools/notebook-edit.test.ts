import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workbench } from "../../test/workbench.ts";

const cells = [
  { id: "one", cell_type: "markdown", metadata: { kept: 1 }, source: ["# Title"] },
  { id: "two", cell_type: "code", metadata: {}, source: ["x = 1"], outputs: [{ a: 1 }], execution_count: 4 },
];

const opened = async () => {
  const bench = workbench();
  const path = join(bench.cwd, "n.ipynb");
  writeFileSync(path, JSON.stringify({ cells, metadata: { further: true }, nbformat: 4, nbformat_minor: 5 }, null, 1));
  await bench.call("Read", { file_path: path });
  const edit = (input: object) => bench.call("NotebookEdit", { notebook_path: path, new_source: "", ...input });
  return { ...bench, path, edit, notebook: () => JSON.parse(readFileSync(path, "utf8")) };
};

test("a cell is replaced, and what it gave is forgotten while all else is kept", async () => {
  const { edit, notebook } = await opened();
  expect(await edit({ cell_id: "two", new_source: "y = 2\ny" })).toMatchObject({ isError: false });
  expect(notebook()).toEqual({
    cells: [cells[0], { ...cells[1], source: ["y = 2\n", "y"], outputs: [], execution_count: null }],
    metadata: { further: true },
    nbformat: 4,
    nbformat_minor: 5,
  });
});

test("a cell is inserted behind the one that is named, or as the first, and deleted by its place", async () => {
  const { edit, notebook } = await opened();
  await edit({ cell_id: "one", edit_mode: "insert", cell_type: "code", new_source: "a" });
  await edit({ edit_mode: "insert", cell_type: "markdown", new_source: "b" });
  const sources = () => notebook().cells.map(({ source }: { source: string[] }) => source.join(""));
  expect(sources()).toEqual(["b", "# Title", "a", "x = 1"]);
  await edit({ cell_id: "3", edit_mode: "delete" });
  expect(sources()).toEqual(["b", "# Title", "a"]);
});

test("a notebook that was not read, a cell that is not there and what is no notebook are refused", async () => {
  const { edit, call, path } = await opened();
  expect(await edit({ cell_id: "absent" })).toMatchObject({ isError: true });
  expect(await edit({ edit_mode: "insert", cell_id: "one" })).toMatchObject({ isError: true });
  writeFileSync(path, "{}");
  expect(await edit({ cell_id: "one" })).toMatchObject({ isError: true, text: expect.stringContaining("has changed") });
  await call("Read", { file_path: path });
  expect(await edit({ cell_id: "one" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("not a notebook"),
  });
});
