import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentPresets } from "@troupe/backends/acp";
import { expect, test } from "vitest";
import { type Command, globalOptions } from "./command.ts";
import { commands } from "./commands.ts";
import { parse } from "./parse.ts";

const schemas = join(import.meta.dirname, "../schemas");
const fileOf = (name: string) => `${name.replace(" ", "-")}.json`;

test("every command has a schema for its JSON, and every schema is a command's, of a stream or shared", () => {
  const others = ["error.json", "help.json", "notice.json", "shared.json", "stream.json", "version.json"];
  expect(readdirSync(schemas).sort()).toEqual([...commands.map(({ name }) => fileOf(name)), ...others].sort());
});

test("every schema is called after its file, and every property in it is described", () => {
  for (const file of readdirSync(schemas)) {
    const schema = JSON.parse(readFileSync(join(schemas, file), "utf8"));
    expect(schema.$id).toBe(`urn:troupe:cli:${file.replace(".json", "")}`);
    const naked: string[] = [];
    JSON.stringify(schema, (key, value) => {
      if (key === "properties" || key === "$defs")
        for (const [name, one] of Object.entries<object>(value))
          if (!("description" in one) && !("$ref" in one)) naked.push(name);
      return value;
    });
    expect(naked, file).toEqual([]);
  }
});

test.each(commands.map((command) => [command.name, command] as const))(
  "%s shows at least one example, and its examples are right",
  (_, { examples, name }) => {
    expect(examples.length).toBeGreaterThan(0);
    for (const [line] of examples) {
      const [own = ""] = line.split(/ [|>] /).filter((part) => part.startsWith("troupe "));
      const words = own.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
      const request = parse(
        words.slice(1).map((word) => word.replace(/^["'](.*)["']$/, "$1")),
        commands,
      );
      expect(request, line).toMatchObject({ kind: "run", command: { name } });
    }
  },
);

test("an option of one name takes a value in all commands of a group or in none, and has one letter: a line is read before its command is known", () => {
  const kinds = new Map<string, string>();
  const once = (about: string, kind: string) => {
    expect(kinds.get(about) ?? kind, about).toBe(kind);
    kinds.set(about, kind);
  };
  for (const { name: command, options } of commands) {
    const all: Command["options"] = { ...options, ...globalOptions };
    for (const [name, { value, short }] of Object.entries(all)) {
      once(`--${name} of ${command.split(" ")[0]}`, `${value === undefined}`);
      once(`--${name}`, `-${short}`);
      if (Object.hasOwn(globalOptions, name)) once(`--${name} everywhere`, `${value === undefined}`);
    }
  }
});

test("only the last word of a command can be left out or take the rest", () => {
  for (const { args } of commands) {
    for (const arg of args.slice(0, -1)) expect({ isOptional: arg.isOptional, isRest: arg.isRest }).toEqual({});
  }
});

test("every agent of another make can be asked for by its name, and no other", () => {
  const presets = Object.keys(agentPresets);
  const optionOf = (name: string, option: string) => commands.find((one) => one.name === name)?.options[option];
  expect(optionOf("spawn", "acp")?.choices).toEqual(presets);
  const backends = optionOf("run", "backend")?.completes as readonly string[];
  expect(backends.filter((one) => one.startsWith("acp-"))).toEqual(presets.map((name) => `acp-${name}`));
});
