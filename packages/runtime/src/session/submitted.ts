import { insideTags } from "@troupe/protocol";
import type { PersonHooks } from "../hooks/person-hooks.ts";
import type { ToolOutcome } from "../loop/tool.ts";
import { textBlocks } from "../queue.ts";
import type { Skill } from "../skills/skill.ts";
import { slashCommand } from "../skills/slash.ts";

export interface SubmittedDeps {
  readonly skills: readonly Skill[];
  readonly person: PersonHooks;
  /** Has an agent do a forked skill. */
  readonly run: (skill: Skill, prompt: string, signal: AbortSignal) => Promise<ToolOutcome>;
  readonly signal: AbortSignal;
}

/**
 * Deals with what a person typed; what it returns is shown to the person, and there is no turn
 * then.
 */
export async function submitted(
  text: string,
  { skills, person, run, signal }: SubmittedDeps,
): Promise<string | undefined> {
  const command = await slashCommand(text, skills);
  if (!command) return person.said(text, textBlocks(text), signal);
  switch (command.kind) {
    case "unknown": {
      const near = command.near.map((name) => `/${name}`).join(", ");
      return `There is no command ${text.trim()}${near ? `; did you mean ${near}?` : "."}`;
    }
    case "prompt":
      return person.said(text, command.content, signal);
    case "fork": {
      const refusal = await person.said(text, undefined, signal);
      if (refusal !== undefined) return refusal;
      const { skill, prompt } = command;
      const { content, tells } = await run(skill, prompt, signal);
      const output = content.map(({ text: said = "" }) => said).join("\n");
      // The model hears of it with the next words; a command is no turn.
      person.note(
        `<command-name>/${insideTags(skill.name)}</command-name>\n<local-command-stdout>\n${insideTags(output)}\n</local-command-stdout>`,
      );
      tells?.kept();
      return output;
    }
  }
}
