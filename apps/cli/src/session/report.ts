import type { Session, SessionEvent } from "@troupe/runtime";
import { type Ask, askNobody } from "@troupe/team";
import { type Answer, type Call, exits } from "../command.ts";
import { endingWords } from "../endings.ts";
import { jsonText } from "../json.ts";
import { createBill } from "./bill.ts";
import type { RunOptions } from "./options.ts";
import { createStream, type Ending } from "./stream.ts";

export interface ReportDeps {
  readonly call: Pick<Call<object, RunOptions>, "cwd" | "now" | "note" | "options" | "streams">;
  /** The names of the MCP servers that are configured. */
  readonly servers: readonly string[];
  /** Opened after the report, which hears of all that happens in it. */
  readonly session: () => Session | undefined;
  /** Told what all of it has cost so far; undefined once the price of a model was not known. */
  readonly onCost: (cost: number | undefined) => void;
}

/** What a run tells of itself, in the format that was asked for. */
export interface Report {
  /** Takes an event of the session. */
  add(event: SessionEvent): void;
  /** Takes an event of a teammate in this process, which counts and is not shown. */
  count(event: SessionEvent): void;
  /** Answers what the session asks, for nobody is there, and remembers it. */
  readonly ask: Ask;
  /** Tells how a turn ended, where every message is told. */
  tell(ending: Ending): void;
  answer(session: Session, ending: Ending): Answer;
}

export function openReport({ call, servers, session, onCost }: ReportDeps): Report {
  const { cwd, now, note, options, streams } = call;
  const format = options["output-format"] ?? "text";
  const emit = (message: object) => format === "stream-json" && void streams.output.write(`${jsonText(message)}\n`);
  const bill = createBill();
  const stream = createStream({
    cwd,
    now,
    servers,
    emit,
    session: () => ({ id: session()?.id ?? "", mode: session()?.permissions.mode() ?? "default" }),
  });

  function count(event: SessionEvent): void {
    bill.add(event);
    onCost(bill.total().cost);
  }

  return {
    count,
    add(event) {
      count(event);
      stream.add(event);
      if (options.verbose && format !== "stream-json") for (const line of toolsIn(event)) note(line);
    },
    ask(question, signal) {
      stream.denied(question);
      return askNobody(question, signal);
    },
    tell: (ending) => void emit(stream.result(ending, bill.total())),
    answer({ transcript, id: sessionId }, ending) {
      const { isOk, why, text: result, failure } = ending;
      const because = failure === undefined || failure === why ? "" : `: ${failure}`;
      const texts = {
        text: result === "" ? [] : [result],
        json: [{ verbatim: jsonText(stream.result(ending, bill.total())) }],
        "stream-json": [],
      };
      return {
        document: {
          sessionId,
          transcript,
          isOk,
          why,
          result,
          ...(failure !== undefined && { failure }),
          ...bill.total(),
        },
        text: texts[format],
        exit: isOk ? exits.done : exits.failed,
        ...(!isOk && { remark: `the task is not done: ${endingWords(why)}${because}` }),
      };
    },
  };
}

/** The tools that an answer of the model uses, in a line each. */
function toolsIn({ agent, ...event }: SessionEvent): readonly string[] {
  if (event.kind !== "entry" || event.entry.kind !== "answered") return [];
  const by = agent ? `${agent.description}: ` : "";
  return event.entry.answer.content.flatMap(({ type, name, input }) =>
    type === "tool_use" ? [`${by}${name} ${jsonText(input).slice(0, 200)}`] : [],
  );
}
