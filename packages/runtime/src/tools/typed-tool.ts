import { z } from "zod";
import type { Reach, Tool, ToolContext, ToolOutcome } from "../loop/tool.ts";

/** A tool as its author writes it: the input has its type, and the defaults of its schema. */
export interface TypedTool<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** What the model is shown, where that is less than what is taken. */
  readonly shown?: z.ZodType;
  /** A pure read: it may run beside its neighbours, and again after a crash. */
  readonly isRead?: boolean;
  /** It may run beside its neighbours, though twice is not once. */
  readonly isConcurrent?: boolean;
  reaches?(input: z.output<Input>): readonly Reach[];
  run(input: z.output<Input>, context: ToolContext): Promise<ToolOutcome>;
}

/** The loop hands on what the model wrote, so the schema is applied here: it alone knows the defaults. */
export function typedTool<Input extends z.ZodType>(tool: TypedTool<Input>): Tool {
  const { name, description, input, shown = input, isRead = false, isConcurrent = isRead, reaches } = tool;
  const schema = { ...z.toJSONSchema(shown, { io: "input" }) };
  delete schema.$schema;
  return {
    definition: { name, description, input_schema: schema },
    input,
    isReplayable: isRead,
    ...(reaches ? { reaches: (raw: unknown) => reaches(input.parse(raw)) } : {}),
    isConcurrent: () => isConcurrent,
    run: async (raw, context) => tool.run(input.parse(raw), context),
  };
}
