import type { Inherited } from "./inherit.ts";

/** What a call came to and why, and the model that works. */
export const routeWords = (what: string, why: string, model: string): string =>
  `route: ${what} (${why})\nmodel: ${model}`;

/** The mode in which an agent works, and where it has it from. */
export function modeWords(
  { agent: { kind, permissions } }: Pick<Inherited, "agent">,
  asked: string | undefined,
  ignored?: string,
): string {
  const mode = permissions.mode();
  const from =
    kind === "fork"
      ? "bubble: a fork asks as its caller does"
      : asked === undefined
        ? "its definition names none"
        : asked === mode
          ? "permissionMode of its definition"
          : `its definition asks for ${asked}, and its session allows no more`;
  const note = ignored === undefined ? "" : `; mode ${ignored} of the call is for teammates alone and has no effect`;
  return `permissions: ${mode} (${from}${note})`;
}
