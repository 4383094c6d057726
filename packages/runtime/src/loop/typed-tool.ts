import { z } from "zod";
import type { Reach, Tool, ToolContext, ToolOutcome } from "./tool.ts";

/** A tool as its author writes it: the input has its type, and the defaults of its schema. */
export interface TypedTool<Input extends z.ZodType, Agent> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** The schema for the model, where that is less than the tool takes. */
  readonly shown?: z.ZodType;
  /** A pure read: it may run beside its neighbours, and again after a crash. */
  readonly isRead?: boolean;
  /** It changes nothing itself, though twice is not once. */
  readonly isReadOnly?: boolean;
  /** It may run beside its neighbours, though twice is not once. */
  readonly isConcurrent?: boolean;
  reaches?(input: z.output<Input>, cwd: string): readonly Reach[];
  run(input: z.output<Input>, context: ToolContext<Agent>): Promise<ToolOutcome>;
}

/**
 * The loop hands on what the model wrote, so the schema is applied here: it alone knows the
 * defaults.
 */
export function typedTool<Input extends z.ZodType, Agent>(tool: TypedTool<Input, Agent>): Tool<Agent> {
  const { name, description, input, shown = input, isRead = false, isConcurrent = isRead, reaches, run } = tool;
  const { isReadOnly = isRead } = tool;
  return {
    definition: definitionOf({ name, description, input_schema: schemaOf(shown) }),
    faultOf: faultsOf(input),
    isReplayable: isRead,
    isReadOnly,
    ...(reaches ? { reaches: (raw: unknown, cwd: string) => reaches(input.parse(raw), cwd) } : {}),
    isConcurrent: isConcurrent ? always : never,
    // Nothing here holds the tool as it was written: each session would keep its texts.
    run: async (raw, context) => run(input.parse(raw), context),
  };
}

const always = () => true;
const never = () => false;

/** What finds the fault of an input, one for each schema. */
const faults = new WeakMap<z.ZodType, NonNullable<Tool["faultOf"]>>();

function faultsOf(input: z.ZodType): NonNullable<Tool["faultOf"]> {
  const known = faults.get(input);
  if (known) return known;
  const faultOf = (raw: unknown) => {
    const { error } = input.safeParse(raw);
    return error && z.prettifyError(error);
  };
  faults.set(input, faultOf);
  return faultOf;
}

/** Sessions of one process share what they say alike of a tool, and so the text of it. */
const definitions = new WeakMap<object, Tool["definition"]>();

function definitionOf(definition: Tool["definition"]): Tool["definition"] {
  const known = definitions.get(definition.input_schema);
  if (known?.name === definition.name && known.description === definition.description) return known;
  definitions.set(definition.input_schema, definition);
  return definition;
}

/**
 * Each agent has tools of its own, of the same few schemas: making one takes longer than starting
 * an agent may.
 */
const schemas = new WeakMap<z.ZodType, object>();

function schemaOf(shown: z.ZodType): object {
  const known = schemas.get(shown);
  if (known) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(shown, { io: "input" });
  schemas.set(shown, schema);
  return schema;
}
