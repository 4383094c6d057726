import fc from "fast-check";
import { expect, test } from "vitest";
import { isTroupeError } from "./errors.ts";
import { permissionModes } from "./permissions.ts";
import { type Revision, revisions } from "./revisions/revision.ts";
import { buildTeammateArgs, parseTeammateArgs, type TeammateArgs, teammateFlags } from "./teammate-args.ts";

const probe: TeammateArgs = {
  agentName: "probe-01",
  teamName: "tmux-probe",
  agentColor: "blue",
  parentSessionId: "c93b690c-0000-4000-8000-d9451b749ac2",
  agentType: "general-purpose",
  model: "claude-opus-4-6",
  planModeRequired: false,
  rest: [],
};
const build = (changed: Partial<TeammateArgs> = {}): string[] => buildTeammateArgs("2026-02", { ...probe, ...changed });

test("a value with shell characters stays one argument, byte for byte", () => {
  const hostile = "$(touch /tmp/x); `id` \"'\\ \n* ~ && false";
  const argv = build({ agentType: hostile, model: hostile, rest: [hostile] });
  expect(argv.filter((token) => token === hostile)).toHaveLength(3);
  expect(parseTeammateArgs(argv).args).toMatchObject({ agentType: hostile, model: hostile, rest: [hostile] });
});

test("a flag and its value may be joined by =", () => {
  const argv = build();
  const joined = argv.flatMap((token, at) => (at % 2 === 0 ? [`${token}=${argv[at + 1]}`] : []));
  expect(parseTeammateArgs(joined)).toEqual({ args: probe, problems: [] });
  expect(parseTeammateArgs([...joined, "--model=a=b"]).args?.model).toBe("a=b");
});

test("a value that looks like a flag is joined to its own", () => {
  const argv = build({ model: "--agent-id" });
  expect(argv).toContain("--model=--agent-id");
  expect(parseTeammateArgs(argv).args?.model).toBe("--agent-id");
});

test("unknown arguments are kept in order, and nothing after -- is read", () => {
  const rest = ["--debug-file", "/tmp/log", "-v", "hello", "--", "--agent-name", "mallory"];
  expect(parseTeammateArgs([...rest.slice(0, 2), ...build(), ...rest.slice(2)])).toEqual({
    args: { ...probe, rest },
    problems: [],
  });
});

test("the last occurrence of a repeated flag counts", () => {
  expect(parseTeammateArgs([...build(), "--model", "haiku"]).args?.model).toBe("haiku");
});

test("every flag that always has a value is missed by name", () => {
  const argv = build();
  for (let at = 0; at < argv.length; at += 2) {
    const flag = argv[at] as string;
    const absent = parseTeammateArgs(argv.toSpliced(at, 2));
    expect(absent).toMatchObject({ problems: [{ code: "field_missing", message: `${flag} is missing` }] });
    expect(absent.args).toBeUndefined();

    const bare = parseTeammateArgs(argv.toSpliced(at + 1, 1));
    expect(bare).toMatchObject({
      problems: [{ path: `/${at}`, code: "field_missing", message: `${flag} has no value` }],
    });
    expect(bare.args).toBeUndefined();
  }
});

test.each([
  [["--agent-id", "mallory@tmux-probe"], "id_mismatched", /--agent-id/],
  [["--agent-name", "../../etc"], "field_invalid", /--agent-name/],
  [["--team-name", "a/b"], "field_invalid", /--team-name/],
  [["--permission-mode", "bubble"], "field_invalid", /--permission-mode/],
  [["--permission-mode", "yolo"], "field_invalid", /--permission-mode/],
  [["--plan-mode-required=false"], "field_invalid", /--plan-mode-required/],
  [["--model="], "field_missing", /--model/],
  [["--allowedTools"], "field_missing", /--allowedTools/],
])("%j is a problem that names the flag", (argv, code, message) => {
  const { args, problems } = parseTeammateArgs([...build(), ...argv]);
  expect(args).toBeUndefined();
  expect(problems).toContainEqual(expect.objectContaining({ code, message: expect.stringMatching(message) }));
});

test.each([
  [{ model: "" }, "arguments_invalid"],
  [{ agentType: "a\0b" }, "arguments_invalid"],
  [{ tools: ["Bash Edit"] }, "arguments_invalid"],
  [{ allowedTools: ["Bash(git", "Read"] }, "arguments_invalid"],
  [{ agentName: "../x" }, "name_invalid"],
])("building %j fails with %s rather than saying something else", (changed, code) => {
  let found: string | undefined;
  try {
    build(changed);
  } catch (error) {
    found = isTroupeError(error) ? error.code : "another error";
  }
  expect(found).toBe(code);
});

const word = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !text.includes("\0"));
const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,15}$/);
const tools = fc.array(fc.stringMatching(/^[A-Za-z_]{1,8}(\([^()\\]{1,8}\))?$/), { maxLength: 4 });
const teammate = (revision: Revision): fc.Arbitrary<TeammateArgs> =>
  fc.record(
    {
      agentName: name,
      teamName: name,
      agentColor: word,
      parentSessionId: word,
      agentType: word,
      model: word,
      planModeRequired: fc.boolean(),
      permissionMode: fc.constantFrom(...permissionModes[revision]),
      allowedTools: tools,
      disallowedTools: tools,
      tools,
      ...(revision === "2026-11" && { leadVerifyKey: word }),
      rest: fc.array(fc.oneof(fc.stringMatching(/^--x[a-z-]{0,8}(=.{0,8})?$/), fc.stringMatching(/^[^-].{0,8}$/)), {
        maxLength: 4,
      }),
    },
    {
      requiredKeys: [
        "agentName",
        "teamName",
        "agentColor",
        "parentSessionId",
        "agentType",
        "model",
        "planModeRequired",
        "rest",
      ],
    },
  );

test.each(revisions)("built arguments of %s parse back to their input", (revision) => {
  fc.assert(
    fc.property(teammate(revision), (args) => {
      expect(parseTeammateArgs(buildTeammateArgs(revision, args))).toEqual({ args, problems: [] });
    }),
    { numRuns: 1000 },
  );
});

test("whatever is on the command line, reading it does not throw", () => {
  const token = fc.oneof(fc.constantFrom(...teammateFlags.map(({ flag }) => flag), "--", "__proto__"), fc.string());
  fc.assert(
    fc.property(fc.array(token, { maxLength: 20 }), (argv) => {
      const { args, problems } = parseTeammateArgs(argv);
      expect(args === undefined || problems.length === 0).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
