import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { assetJson } from "../assets.ts";
import { levels as allLevels, type Level } from "../requirement.ts";
import { type ErrorName, errorCodes } from "../target.ts";

/** The contract of the adapter protocol, held against every line in both directions. */
export interface Wire {
  /** Problems of a request of ours: then the suite is to blame. */
  requestFaults(request: unknown): string | undefined;
  /** Problems of a line of the target. */
  responseFaults(line: unknown): string | undefined;
  resultFaults(method: string, result: unknown): string | undefined;
  /** Undefined for a code that the protocol does not name: the adapter broke. */
  errorName(code: number): ErrorName | undefined;
}

interface Schema {
  readonly $id: string;
  readonly $defs: { readonly methods: Readonly<Record<string, { readonly level: Level }>> };
}

const schemaOf = (): Schema => assetJson("schemas/adapter-protocol.json") as Schema;

/**
 * The level whose claim claims this method too; undefined for those that are claimed one by one.
 */
export function methodLevels(): ReadonlyMap<string, Level> {
  const rows = Object.entries(schemaOf().$defs.methods).filter(([name]) => name !== "clock.set");
  return new Map(rows.map(([name, { level }]) => [name, level]));
}

export const highestLevel = (found: readonly Level[]): Level =>
  allLevels.findLast((level) => found.includes(level)) ?? "L0";

export function openWire(): Wire {
  const schema = schemaOf();
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema(schema);
  const compiled = new Map<string, ValidateFunction>();
  const names = Object.keys(errorCodes) as (keyof typeof errorCodes)[];

  function faults(pointer: string, value: unknown): string | undefined {
    let validate = compiled.get(pointer);
    if (!validate) {
      validate = ajv.compile({ $ref: `${schema.$id}#/$defs/${pointer}` });
      compiled.set(pointer, validate);
    }
    return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: "", separator: "; " });
  }

  return {
    requestFaults(request) {
      const outer = faults("request", request);
      if (outer) return outer;
      const { method, params } = request as { method: string; params: unknown };
      return faults(`methods/${method}/params`, params);
    },
    responseFaults: (line) => faults("response", line),
    resultFaults: (method, result) => faults(`methods/${method}/result`, result),
    errorName: (code) => names.find((name) => errorCodes[name] === code),
  };
}
