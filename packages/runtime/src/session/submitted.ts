import { insideTags } from "@troupe/protocol";
import type { PersonHooks } from "../hooks/person-hooks.ts";
import type { Stored } from "../journal/entry.ts";
import type { ToolOutcome } from "../loop/tool.ts";
import { textBlocks } from "../queue.ts";
import type { Skill } from "../skills/skill.ts";
import { slashCommand } from "../skills/slash.ts";

export interface SubmittedDeps {
  readonly skills: readonly Skill[];
  readonly person: PersonHooks;
  /** Has an agent do a forked skill. */
  readonly run: (skill: Skill, prompt: string, signal: AbortSignal) => Promise<ToolOutcome>;
  /** Replaces the conversation by a summary, with the person's wishes, or says why it did not. */
  readonly compact: (words: string | undefined, signal: AbortSignal) => Promise<Stored | string>;
  readonly onEvent: (event: { readonly kind: "entry"; readonly entry: Stored }) => void;
  readonly signal: AbortSignal;
}

/**
 * Deals with what a person typed; what it returns is shown to the person, and there is no turn
 * then.
 */
export async function submitted(
  text: string,
  { skills, person, run, compact, onEvent, signal }: SubmittedDeps,
): Promise<string | undefined> {
  const [isCompact, wishes] = /^\/compact(?:\s+(.*))?$/s.exec(text.trim()) ?? [];
  if (isCompact) {
    const came = await compact(wishes, signal);
    if (typeof came === "string") return came;
    onEvent({ kind: "entry", entry: came });
    return undefined;
  }
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
