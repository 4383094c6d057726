import type { Revision } from "@troupe/protocol";
import { toolBoundaries } from "@troupe/protocol/tools";
import type { Tool } from "../loop/tool.ts";
import { type AskUserQuestionDeps, askUserQuestionTool } from "./ask-user-question.ts";
import { type BashDeps, bashTool } from "./bash.ts";
import { type EditDeps, editTool } from "./edit.ts";
import { type GlobDeps, globTool } from "./glob.ts";
import { type GrepDeps, grepTool } from "./grep.ts";
import { type NotebookEditDeps, notebookEditTool } from "./notebook-edit.ts";
import { type ReadDeps, readTool } from "./read.ts";
import { type SkillDeps, skillTool } from "./skill.ts";
import { type TaskOutputDeps, taskOutputTool } from "./task-output.ts";
import { type TaskStopDeps, taskStopTool } from "./task-stop.ts";
import { type WebFetchDeps, webFetchTool } from "./web-fetch.ts";
import { type WriteDeps, writeTool } from "./write.ts";

/** What the tools of one agent need. */
export interface ToolsDeps
  extends ReadDeps,
    WriteDeps,
    EditDeps,
    NotebookEditDeps,
    GlobDeps,
    GrepDeps,
    BashDeps,
    TaskOutputDeps,
    TaskStopDeps,
    WebFetchDeps,
    SkillDeps,
    AskUserQuestionDeps {
  readonly revision: Revision;
}

/** Every tool that needs no team and that the revision has, in the order the model sees them, which is part of the prefix. */
export const builtInTools = (deps: ToolsDeps): readonly Tool[] =>
  allTools(deps).filter(({ definition }) => {
    const boundary = toolBoundaries.find(({ name }) => name === definition.name);
    return boundary === undefined || deps.revision in boundary.input;
  });

const allTools = (deps: ToolsDeps): readonly Tool[] => [
  readTool(deps),
  writeTool(deps),
  editTool(deps),
  notebookEditTool(deps),
  globTool(deps),
  grepTool(deps),
  bashTool(deps),
  taskOutputTool(deps),
  taskStopTool(deps),
  webFetchTool(deps),
  skillTool(deps),
  askUserQuestionTool(deps),
];
