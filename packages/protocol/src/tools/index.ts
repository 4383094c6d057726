export {
  AgentInput202602,
  AgentInput202611,
  type AgentInputGates,
  agentInputProblems,
  agentTool,
  visibleAgentInput,
} from "./agent.ts";
export {
  AgentAsyncLaunched,
  AgentCompleted,
  AgentRemoteLaunched,
  AgentResult,
  type AgentResultView,
  AgentTeammateSpawned,
  agentResultText,
} from "./agent-result.ts";
export { toolBoundaries } from "./boundaries.ts";
export { defineToolBoundary, type ToolBoundary } from "./boundary.ts";
export { EnterPlanModeInput, enterPlanModeTool } from "./enter-plan-mode.ts";
export {
  ExitPlanModeInput202602,
  ExitPlanModeInput202611,
  ExitPlanModeOutput,
  exitPlanModeText,
  exitPlanModeTool,
} from "./exit-plan-mode.ts";
export {
  AddressedSendMessage,
  AddressedText202602,
  SendMessageInput202602,
  StructuredMessage,
  sendMessageTool,
  TypedSendMessage,
} from "./send-message.ts";
export {
  type PlanAnswerStamp,
  planAnswerBody,
  type ShutdownAnswerStamp,
  shutdownAnswerBody,
  shutdownRequestBody,
} from "./send-message-body.ts";
export {
  type NormalisedSendMessage,
  normaliseSendMessage,
  type SendMessageRequest,
  summaryOf,
} from "./send-message-request.ts";
export {
  AgentResumed,
  answerSent,
  BroadcastSent,
  broadcastSent,
  type Delivery,
  MessageSent202602,
  MessageSent202611,
  messageSent,
  NothingWritten,
  RequestSent,
  recipientUnreachable,
  SendMessageOutput202602,
  SendMessageOutput202611,
  shutdownRequestSent,
} from "./send-message-result.ts";
export { TaskCreateInput, taskCreateTool } from "./task-create.ts";
export { TaskGetInput, taskGetTool, taskNotFoundText } from "./task-get.ts";
export { TaskListInput, TaskListOutput, taskListText, taskListTool } from "./task-list.ts";
export { TaskOutputInput, taskOutputTool } from "./task-output.ts";
export { stopTargetOf, TaskStopInput, TaskStopOutput, taskStopTool } from "./task-stop.ts";
export { TaskUpdateInput, taskUpdateTool } from "./task-update.ts";
export { TeamCreateInput, teamCreateTool } from "./team-create.ts";
export { TeamDeleteInput, teamDeleteTool } from "./team-delete.ts";
