import type { Tool } from "../loop/tool.ts";
import type { TaskToolsDeps } from "./task-board.ts";
import { taskCreateTool } from "./task-create.ts";
import { taskGetTool } from "./task-get.ts";
import { taskListTool } from "./task-list.ts";
import { taskUpdateTool } from "./task-update.ts";

/** The tools of the shared task list, in the order the model sees them. */
export const taskTools = (deps: TaskToolsDeps): readonly Tool[] => [
  taskCreateTool(deps),
  taskGetTool(deps),
  taskListTool(deps),
  taskUpdateTool(deps),
];
