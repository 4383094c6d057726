import { type Ask, denied } from "@troupe/team";

/** What the person of the demo lets run: node, and what git does in the repository. */
const harmless =
  /^(node( [\w./-]+)+|git (add|commit|merge|status|log|diff|branch|-C [\w./-]+ \w+)( ("[^"$`\\]*"|[\w./:#-]+))*)$/;

/** The words of a call for a person. */
export function commandOf(input: unknown): string {
  const { command, file_path } = (input ?? {}) as { readonly command?: unknown; readonly file_path?: unknown };
  return String(command ?? file_path ?? "");
}

/** A person who reads what is asked, and allows only what belongs to the work. */
export const answer: Ask = async ({ tool, input }) => {
  const parts = commandOf(input).split("&&");
  if (tool === "Bash" && parts.every((part) => harmless.test(part.trim()))) return { behavior: "allow" };
  return denied("only node and git may run here, one command after the other");
};
