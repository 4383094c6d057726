import { z } from "zod";
import type { Revision } from "./revisions/revision.ts";

/** The permission modes of revision 2026-02. */
export const PermissionMode202602 = z
  .enum(["default", "acceptEdits", "delegate", "dontAsk", "bypassPermissions", "plan"])
  .meta({
    title: "Permission mode",
    description: "The permission modes of revision 2026-02.",
    examples: ["acceptEdits"],
  });
export type PermissionMode202602 = z.infer<typeof PermissionMode202602>;

/** The permission modes of revision 2026-11; `manual` is another name of `default`. */
export const PermissionMode202611 = z
  .enum(["default", "manual", "acceptEdits", "auto", "plan", "dontAsk", "bypassPermissions"])
  .meta({
    title: "Permission mode",
    description: "The permission modes of revision 2026-11.",
    examples: ["default"],
  });
export type PermissionMode202611 = z.infer<typeof PermissionMode202611>;

/** A mode of either revision, which is what a reader takes. */
export const PermissionMode = z
  .enum([...new Set([...PermissionMode202602.options, ...PermissionMode202611.options])])
  .meta({
    title: "Permission mode",
    description: "The permission modes of any revision.",
    examples: ["default"],
  });
export type PermissionMode = z.infer<typeof PermissionMode>;

/** The modes that a definition, a call or an option may name. */
export const permissionModes: Readonly<Record<Revision, readonly PermissionMode[]>> = {
  "2026-02": PermissionMode202602.options,
  "2026-11": PermissionMode202611.options,
};

/** An internal mode that no caller may request: a fork's questions go to the forked session. */
export const internalPermissionModes = ["bubble"] as const;

/** The destinations of a permission update. */
export const permissionDestinations = [
  "userSettings",
  "projectSettings",
  "localSettings",
  "session",
  "cliArg",
] as const;

/**
 * One permission rule, taken apart: `Read(//tmp/**)` is the tool `Read` and the content `//tmp/**`.
 */
export const PermissionRule = z
  .looseObject({
    toolName: z.string().describe("The tool the rule is about."),
    ruleContent: z
      .string()
      .optional()
      .describe(
        "The text in the rule's parentheses; an absolute path begins with two slashes. Absent: the whole tool.",
      ),
  })
  .meta({
    title: "Permission rule",
    description: "One permission rule, split into its tool and the text in parentheses.",
    examples: [{ toolName: "Read", ruleContent: "//tmp/**" }],
  });
export type PermissionRule = z.infer<typeof PermissionRule>;

const destination = z
  .string()
  .describe(`How long and for whom it holds: ${permissionDestinations.join(", ")}; other values are kept.`);
const directories = z.array(z.string()).describe("Absolute paths of directories.");
const rules = z.array(PermissionRule).describe("The rules to change.");
const behavior = z
  .string()
  .describe("What the rules do with a matching call: allow, deny or ask; other values are kept.");

/** The kinds of permission update that are understood. */
export const KnownPermissionUpdate = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("addDirectories").describe("Adds directories to those the agent may work in."),
    directories,
    destination,
  }),
  z.looseObject({
    type: z.literal("setMode").describe("Changes the permission mode."),
    mode: z.string().describe("The mode to work in, such as `acceptEdits`."),
    destination,
  }),
  z.looseObject({
    type: z.literal("addRules").describe("Adds rules."),
    rules,
    behavior,
    destination,
  }),
  z.looseObject({
    type: z.literal("replaceRules").describe("Replaces all rules with the same behavior and destination."),
    rules,
    behavior,
    destination,
  }),
  z.looseObject({ type: z.literal("removeRules").describe("Removes rules."), rules, behavior, destination }),
  z.looseObject({
    type: z.literal("removeDirectories").describe("Removes directories."),
    directories,
    destination,
  }),
]);
export type KnownPermissionUpdate = z.infer<typeof KnownPermissionUpdate>;

/** The names of the kinds that are understood. */
export const permissionUpdateKinds: readonly string[] = KnownPermissionUpdate.options.map(
  ({ shape }) => shape.type.value,
);

/**
 * An unknown kind, kept unchanged. zod has no `not`, so the check and the keyword share one list.
 */
const UnknownPermissionUpdate = z.looseObject({
  type: z
    .string()
    .refine((type) => !permissionUpdateKinds.includes(type), { abort: true })
    .meta({ not: { enum: [...permissionUpdateKinds] } })
    .describe("A kind unknown to this revision; a malformed update of a known kind is rejected."),
});

/** One change to what an agent may do: suggested in a permission request, granted in the answer. */
export const PermissionUpdate = z.union([KnownPermissionUpdate, UnknownPermissionUpdate]).meta({
  title: "Permission update",
  description: "One permission update, suggested in a permission_request and granted in the answer.",
  examples: [
    {
      type: "addRules",
      rules: [{ toolName: "Read", ruleContent: "//tmp/**" }],
      behavior: "allow",
      destination: "session",
    },
  ],
});
export type PermissionUpdate = z.infer<typeof PermissionUpdate>;

/**
 * The update as one of the kinds that are understood, or undefined for a kind that is kept only.
 */
export const knownPermissionUpdate = (update: PermissionUpdate): KnownPermissionUpdate | undefined =>
  permissionUpdateKinds.includes(update.type) ? (update as KnownPermissionUpdate) : undefined;

/**
 * The rule content for everything under a directory; an absolute path gets a second slash in front.
 */
export const directoryRule = (directory: string): string =>
  `${directory.startsWith("/") ? "/" : ""}${directory.replace(/\/+$/, "")}/**`;

/** The absolute directory of a rule content `//dir/**`; undefined for any other content. */
export const ruleDirectory = (content: string): string | undefined =>
  content.startsWith("//") && content.endsWith("/**") ? content.slice(1, -3) || "/" : undefined;
