import { z } from "zod";
import type { Tool } from "../loop/tool.ts";
import { failed, said } from "./outcome.ts";
import { type PlaceDeps, placeOf } from "./place.ts";
import { digestOf, type SeenFiles, whyUnseen } from "./seen-files.ts";
import { encode, putFile, readTextFile } from "./text-file.ts";
import { typedTool } from "./typed-tool.ts";

export interface NotebookEditDeps extends PlaceDeps {
  readonly seen: SeenFiles;
  readonly newId: () => string;
}

const Input = z.object({
  notebook_path: z.string().min(1).describe("The notebook; an absolute path is best."),
  new_source: z.string().describe("The new text of the cell."),
  cell_id: z
    .string()
    .optional()
    .describe("Which cell; with insert, the one before, and without it the new cell is the first."),
  cell_type: z.enum(["code", "markdown"]).optional().describe("Needed with insert."),
  edit_mode: z.enum(["replace", "insert", "delete"]).default("replace").describe("What to do with the cell."),
});

const Cell = z.looseObject({ id: z.string().optional(), cell_type: z.string() });
const Notebook = z.looseObject({ cells: z.array(Cell) });

/** Changes one cell of a notebook. */
export const notebookEditTool = (deps: NotebookEditDeps): Tool =>
  typedTool({
    name: "NotebookEdit",
    description:
      "Replaces, inserts or deletes one cell of a Jupyter notebook that was read and has not changed since. A cell is named by its id, or by its " +
      "place, counted from 0, where it has none.",
    input: Input,
    reaches: ({ notebook_path }) => [{ kind: "write", path: placeOf(deps, notebook_path) }],
    run: async ({ notebook_path, new_source, cell_id, cell_type, edit_mode }) => {
      const path = placeOf(deps, notebook_path);
      const file = await readTextFile(path);
      if ("reason" in file) return failed(file.reason);
      const unseen = whyUnseen(deps.seen, path, file.path, file.digest);
      if (unseen !== undefined) return failed(unseen);
      const notebook = notebookIn(file.text);
      if (!notebook) return failed(`${path} is no notebook: it has no cells; use Edit.`);
      const { cells } = notebook;
      const byId = cells.findIndex(({ id }) => id !== undefined && id === cell_id);
      const at = byId < 0 && /^\d+$/.test(cell_id ?? "") ? Number(cell_id) : byId;
      const cell = cells[at];
      if (!cell && !(edit_mode === "insert" && cell_id === undefined)) {
        return failed(`There is no cell ${cell_id ?? ""} in ${path}; read it again and name one by its id.`);
      }
      if (edit_mode === "insert" && cell_type === undefined) return failed("Say the cell_type of the new cell.");
      const type = cell_type ?? cell?.cell_type;
      const emptied = type === "code" ? { outputs: [], execution_count: null } : {};
      const source = new_source.split(/(?<=\n)/);
      if (edit_mode === "delete") cells.splice(at, 1);
      else if (edit_mode === "insert") {
        const named = cells.some(({ id }) => id !== undefined) ? { id: deps.newId().slice(0, 8) } : {};
        cells.splice(at + 1, 0, { ...named, cell_type: type ?? "code", metadata: {}, source, ...emptied });
      } else if (cell) {
        const { outputs: _outputs, execution_count: _count, ...kept } = cell;
        cells[at] = { ...kept, cell_type: type ?? cell.cell_type, source, ...emptied };
      }
      const indent = /^\{\r?\n( +|\t)/.exec(file.text)?.[1] ?? 1;
      const bytes = encode(`${JSON.stringify(notebook, null, indent)}\n`, file.encoding);
      await putFile(file.path, bytes, deps.newId, file.stats);
      deps.seen.saw(file.path, digestOf(bytes));
      return said(`Changed ${path}: ${edit_mode} of cell ${cell_id ?? "at the start"}.`);
    },
  });

function notebookIn(text: string): z.output<typeof Notebook> | undefined {
  try {
    return Notebook.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
