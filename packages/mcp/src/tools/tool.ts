import { z } from "zod";
import type { Room } from "../room.ts";

/** What a call of a tool gives: data for programs, and the same in words for models. */
export interface Said<Value> {
  readonly value: Value;
  /** The data as JSON, unless it is said. */
  readonly text?: string | undefined;
}

/** A tool for clients that have such a room. */
export interface TeamTool<In extends Room = Room> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly isReadOnly?: true;
  /** Calling it again with the same input changes nothing more. */
  readonly isIdempotent?: true;
  /** It ends or takes away something. */
  readonly isDestructive?: true;
  /** The signal fires when the client takes the call back or goes away. */
  run(input: object, room: In, signal: AbortSignal): Promise<Said<object>>;
}

type Typed<In extends Room, Input extends z.ZodObject, Output extends z.ZodObject> = Omit<
  TeamTool<In>,
  "input" | "output" | "run"
> & {
  readonly input: Input;
  readonly output: Output;
  run(input: z.infer<Input>, room: In, signal: AbortSignal): Promise<Said<z.infer<Output>>>;
};

/** Types a tool by its schemas. */
export const defineTool =
  <In extends Room>() =>
  <Input extends z.ZodObject, Output extends z.ZodObject>(tool: Typed<In, Input, Output>): TeamTool<In> =>
    tool as unknown as TeamTool<In>;

/** Ids as people and models write them, `#3`, `3` or the number 3; the schema says: text. */
export const idOf = (what: string) =>
  z.preprocess((given) => (typeof given === "number" ? String(given) : given), z.string().describe(what));

export const taskId = idOf("The id of the task, such as 3.");

export const idFrom = (word: string): string => word.replace(/^#/, "");
