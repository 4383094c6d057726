import type { Hand, LeadSeat, Room, Seat } from "../room.ts";
import { answerRequest } from "./answer-request.ts";
import { claimTask } from "./claim-task.ts";
import { completeTask } from "./complete-task.ts";
import { createTask } from "./create-task.ts";
import { getTask } from "./get-task.ts";
import { listTasks } from "./list-tasks.ts";
import { readMail } from "./read-mail.ts";
import { sendMessage } from "./send-message.ts";
import { spawnMember } from "./spawn-member.ts";
import { stopMember } from "./stop-member.ts";
import { teamStatus } from "./team-status.ts";
import type { TeamTool } from "./tool.ts";
import { updateTask } from "./update-task.ts";

/** What a client may do that only looks. */
export const observerTools: readonly TeamTool<Room>[] = [teamStatus, listTasks, getTask];

/** What acts in the name of a member. */
export const handTools: readonly TeamTool<Hand>[] = [sendMessage, createTask, claimTask, updateTask, completeTask];

/** What a member may do besides whose mail comes to it here. */
export const seatTools: readonly TeamTool<Seat>[] = [readMail, answerRequest];

/** What a lead may do besides. */
export const leadTools: readonly TeamTool<LeadSeat>[] = [spawnMember, stopMember];
