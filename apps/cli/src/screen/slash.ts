/** A command that a person types with a slash, and which the screen itself knows. */
export interface Slash {
  readonly name: string;
  readonly summary: string;
}

/** The commands of the screen, in the order of the help; skills come behind them. */
export const slashes = [
  { name: "help", summary: "keys and commands" },
  { name: "resume", summary: "go on with an earlier session of this folder" },
  { name: "clear", summary: "a new session" },
  { name: "compact", summary: "replace the conversation by a summary; words behind it say what to keep" },
  { name: "model", summary: "go on with another model: its name behind it" },
  { name: "plan", summary: "plan first: nothing is changed before you agree" },
  { name: "delegate", summary: "only hand work on to teammates, or work again" },
  { name: "tasks", summary: "show or hide the tasks" },
  { name: "team", summary: "the teammates and what they do" },
  { name: "cost", summary: "tokens, cache and cost so far" },
  { name: "exit", summary: "leave" },
] as const satisfies readonly Slash[];

export type SlashName = (typeof slashes)[number]["name"];

/** The command of the screen that a line is, with its words; other lines are the session's. */
export function slashIn(line: string): { readonly name: SlashName; readonly words: string } | undefined {
  const [, typed = "", words = ""] = /^\/(\S+)(?:\s+(.*))?$/s.exec(line.trim()) ?? [];
  const wanted = typed === "quit" ? "exit" : typed;
  const found = slashes.find(({ name }) => name === wanted && (words === "" || takesWords.has(name)));
  return found && { name: found.name, words };
}

const takesWords: ReadonlySet<SlashName> = new Set(["compact", "model"]);
