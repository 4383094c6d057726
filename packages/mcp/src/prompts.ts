import type { McpServer } from "@modelcontextprotocol/server";
import type { Room } from "./room.ts";
import type { Place } from "./server.ts";

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly roles: readonly Place["role"][];
  readonly text: (room: Room) => string;
}

const prompts: readonly Prompt[] = [
  {
    name: "join_team",
    title: "Work in the team",
    description: "Take part in the team until its lead ends it.",
    roles: ["member"],
    text: ({ team, self }) =>
      `Work as ${self} in the team ${team.name}. Look around with team_status and list_tasks, and read your mail with read_mail. Then again and again: claim a ready task with claim_task, do it, say so with complete_task, and tell the lead what it must know with send_message. When no task is ready, call read_mail with wait_seconds 50 and a report; do that again until there is mail. When your lead asks you to end, leave your work in order and approve with answer_request.`,
  },
  {
    name: "lead_team",
    title: "Lead the team",
    description: "Split the work, start teammates, answer them, and end the team in order.",
    roles: ["lead"],
    text: ({ team }) =>
      `Lead the team ${team.name}. Split the work into tasks with create_task, with blocked_by where one needs another. Start teammates with spawn_member; each knows only what its prompt and its tasks say. Then stay in read_mail with wait_seconds 50: answer what is asked with answer_request, help with send_message, and look at list_tasks when somebody is idle. When all tasks are completed, end each teammate with stop_member and wait for its answer.`,
  },
  {
    name: "review_requests",
    title: "Answer what waits",
    description: "Decide about the plans and permissions that wait.",
    roles: ["lead"],
    text: () =>
      "Call read_mail. For each request: weigh what it would do, what it could break and whether it is what was asked for; look at the files it speaks of where you can. Approve with answer_request what is sound, with a note where something is to be kept in mind; refuse the rest with a note that says what is missing. Leave out nothing.",
  },
];

/** What a person can begin with in the client. */
export function offerPrompts(server: McpServer, role: Place["role"], room: Room): void {
  for (const { name, title, description, roles, text } of prompts)
    if (roles.includes(role))
      server.registerPrompt(name, { title, description }, () => ({
        messages: [{ role: "user", content: { type: "text", text: text(room) } }],
      }));
}
