import { acpCommands } from "./acp/commands.ts";
import { agentsCommands } from "./agents/commands.ts";
import { bridgeCommands } from "./bridge/commands.ts";
import type { Command } from "./command.ts";
import { completionCommands } from "./completion/commands.ts";
import { conformanceCommands } from "./conformance/commands.ts";
import { demoCommands } from "./demo/commands.ts";
import { doctorCommands } from "./doctor/commands.ts";
import { hostCommands } from "./host/commands.ts";
import { mailCommands } from "./mail/commands.ts";
import { mcpCommands } from "./mcp/commands.ts";
import { schemaCommands } from "./schema/commands.ts";
import { sessionCommands } from "./session/commands.ts";
import { steerCommands } from "./steer/commands.ts";
import { storeCommands } from "./store/commands.ts";
import { taskCommands } from "./task/commands.ts";
import { teamCommands } from "./team/commands.ts";
import { trustCommands } from "./trust/commands.ts";
import { watchCommands } from "./watch/commands.ts";
import { webCommands } from "./web/commands.ts";
import { worktreeCommands } from "./worktree/commands.ts";

/** Commands that the help shows under one title. */
export interface Section {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** The table of commands, in the order of the help; parsing, help and completion read it. */
export const sections: readonly Section[] = [
  { title: "agents at work", commands: sessionCommands },
  { title: "teams", commands: teamCommands },
  { title: "tasks", commands: taskCommands },
  { title: "messages", commands: mailCommands },
  { title: "what waits for you", commands: steerCommands },
  { title: "following a team", commands: [...watchCommands, ...webCommands, ...demoCommands] },
  { title: "with programs of others", commands: [...mcpCommands, ...acpCommands] },
  { title: "when something is wrong", commands: doctorCommands },
  { title: "teams on several machines", commands: [...storeCommands, ...hostCommands, ...bridgeCommands] },
  { title: "worktrees of agents", commands: worktreeCommands },
  { title: "what may run", commands: trustCommands },
  { title: "agent definitions", commands: agentsCommands },
  { title: "for implementers", commands: [...conformanceCommands, ...schemaCommands] },
  { title: "for your shell", commands: completionCommands },
];

export const commands: readonly Command[] = sections.flatMap(({ commands }) => commands);
