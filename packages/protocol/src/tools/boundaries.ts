import { agentTool } from "./agent.ts";
import type { ToolBoundary } from "./boundary.ts";
import { enterPlanModeTool } from "./enter-plan-mode.ts";
import { exitPlanModeTool } from "./exit-plan-mode.ts";
import { sendMessageTool } from "./send-message.ts";
import { taskCreateTool } from "./task-create.ts";
import { taskGetTool } from "./task-get.ts";
import { taskListTool } from "./task-list.ts";
import { taskOutputTool } from "./task-output.ts";
import { taskStopTool } from "./task-stop.ts";
import { taskUpdateTool } from "./task-update.ts";
import { teamCreateTool } from "./team-create.ts";
import { teamDeleteTool } from "./team-delete.ts";

/** Every tool whose calls are part of the protocol. */
export const toolBoundaries: readonly ToolBoundary[] = [
  agentTool,
  sendMessageTool,
  taskCreateTool,
  taskGetTool,
  taskListTool,
  taskUpdateTool,
  taskOutputTool,
  taskStopTool,
  teamCreateTool,
  teamDeleteTool,
  enterPlanModeTool,
  exitPlanModeTool,
];
