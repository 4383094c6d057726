import { z } from "zod";
import { placeOf } from "../agent/place.ts";
import { digestOf, whyUnseen } from "../agent/seen-files.ts";
import { encode, putFile, readTextFile } from "../agent/text-file.ts";
import { failed, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import type { Reader } from "./read.ts";
import type { WriteDeps } from "./write.ts";

const Input = z.object({
  notebook_path: z.string().min(1).describe("The path of the notebook, preferably absolute."),
  new_source: z.string().describe("The new text of the cell."),
  cell_id: z
    .string()
    .optional()
    .describe("The cell to change. With insert: the cell after which to insert; without it, the new cell comes first."),
  cell_type: z.enum(["code", "markdown"]).optional().describe("Required with insert."),
  edit_mode: z.enum(["replace", "insert", "delete"]).default("replace").describe("What to do with the cell."),
});

const Cell = z.looseObject({ id: z.string().optional(), cell_type: z.string() });
const Notebook = z.looseObject({ cells: z.array(Cell) });

/** Changes one cell of a notebook. */
export const notebookEditTool = (deps: WriteDeps): Tool<Reader> =>
  typedTool({
    name: "NotebookEdit",
    description:
      "Replaces, inserts or deletes one cell of a Jupyter notebook. You must have read the notebook, and it must not have changed since. Name a " +
      "cell by its id or, if it has none, by its index, counted from 0.",
    input: Input,
    reaches: ({ notebook_path }, cwd) => [{ kind: "write", path: placeOf({ ...deps, cwd }, notebook_path) }],
    run: async ({ notebook_path, new_source, cell_id, cell_type, edit_mode }, { agent: { cwd, seen } }) => {
      const path = placeOf({ ...deps, cwd }, notebook_path);
      const file = await readTextFile(path);
      if ("reason" in file) return failed(file.reason);
      const unseen = whyUnseen(seen, path, file.path, file.digest);
      if (unseen !== undefined) return failed(unseen);
      const notebook = notebookIn(file.text);
      if (!notebook) return failed(`${path} is not a notebook: it has no cells; use Edit.`);
      const { cells } = notebook;
      const byId = cells.findIndex(({ id }) => id !== undefined && id === cell_id);
      const at = byId < 0 && /^\d+$/.test(cell_id ?? "") ? Number(cell_id) : byId;
      const cell = cells[at];
      if (!cell && !(edit_mode === "insert" && cell_id === undefined)) {
        return failed(
          `There is no cell ${cell_id ?? ""} in ${path}; read the notebook again and name a cell by its id.`,
        );
      }
      if (edit_mode === "insert" && cell_type === undefined) return failed("Give the cell_type of the new cell.");
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
      seen.saw(file.path, digestOf(bytes));
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
