import type { HookInputCommon } from "@troupe/protocol/hooks";
import type { Reach, Tool } from "../loop/tool.ts";
import { hostOf } from "./host.ts";
import { linesToForbid } from "./lines.ts";
import { placesToForbid } from "./place.ts";
import { type Rule, readRules, speaksOf } from "./rule.ts";
import { partsOf } from "./shell/part.ts";

export interface RuleMatcherDeps {
  readonly home: string;
  /** The tools that say what their calls reach. */
  readonly tools: readonly Tool<never>[];
  /** Told once of each rule that cannot be read. */
  readonly show: (message: string) => void;
}

/**
 * Whether the call of an event is one that a permission rule speaks of. It is as wide as a rule
 * that forbids, since a hook that runs once too often can still look at the call itself: a shell
 * command matches with any of its parts, and with what it hides. A rule that cannot be read never
 * matches.
 */
export function ruleMatcher({ home, tools, show }: RuleMatcherDeps): (rule: string, input: HookInputCommon) => boolean {
  const read = new Map<string, Rule | undefined>();
  const shown = new Set<string>();

  return (text, { cwd, tool_name: name, tool_input: input }) => {
    if (typeof name !== "string") return false;
    const rule = ruleOf(text, cwd);
    if (!rule || !speaksOf(rule, name)) return false;
    if (rule.isInput) return rule.isInput(input);
    return rule.isWhole || reachesOf(name, input, cwd).some((reach) => isMet(rule, reach, cwd));
  };

  function ruleOf(text: string, cwd: string): Rule | undefined {
    const key = `${cwd}\0${text}`;
    if (!read.has(key)) {
      const { rules, problems } = readRules([{ behavior: "deny", text, source: "hook", base: cwd }], { cwd, home });
      const [problem] = problems;
      if (problem && !shown.has(text))
        show(
          `The rule ${JSON.stringify(text)} of a hook cannot be read, so the hook never runs: ${problem.message}; ${problem.fix}`,
        );
      shown.add(text);
      read.set(key, problem ? undefined : rules[0]);
    }
    return read.get(key);
  }

  function reachesOf(name: string, input: unknown, cwd: string): readonly Reach[] {
    try {
      return tools.find(({ definition }) => definition.name === name)?.reaches?.(input, cwd) ?? [];
    } catch {
      return [];
    }
  }

  function isMet({ command, isHost, isPlace }: Rule, reach: Reach, cwd: string): boolean {
    if (reach.kind === "command") {
      const { parts, isBroken } = partsOf(reach.command, { cwd, home });
      const lines = parts.flatMap(linesToForbid);
      return command !== undefined && (isBroken || lines.some((line) => command.fits(line) || command.mayFit(line)));
    }
    if (reach.kind === "url") return isHost?.(hostOf(reach.url) ?? "") ?? false;
    return placesToForbid(reach.path).some((place) => isPlace?.(place));
  }
}
