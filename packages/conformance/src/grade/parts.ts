import type { FoundDocument } from "../reader/document.ts";
import { isRecord } from "../record.ts";
import type { Part, Subject } from "./rule.ts";

const part = (path: string, at: string, value: unknown): Part => ({
  path,
  at,
  value,
  fields: isRecord(value) ? value : {},
});

const configPath = (team: string): string => `teams/${team}/config.json`;

/** Configs that can be read. */
export const configs = ({ teams }: Subject): readonly Part[] =>
  teams.flatMap(({ name, config }) => (isRecord(config.value) ? [part(configPath(name), "", config.value)] : []));

const isLead = (config: Part, member: Part): boolean =>
  member.fields["agentId"] === config.fields["leadAgentId"] || member.fields["agentType"] === "team-lead";

const membersOf = (config: Part): readonly Part[] => {
  const members = config.fields["members"];
  if (!Array.isArray(members)) return [];
  return members.map((member: unknown, index) => part(config.path, `/members/${index}`, member));
};

export const members = (subject: Subject): readonly Part[] => configs(subject).flatMap(membersOf);

export const leads = (subject: Subject): readonly Part[] =>
  configs(subject).flatMap((config) =>
    membersOf(config)
      .filter((member) => isLead(config, member))
      .slice(0, 1),
  );

/** Teammates whose registration is complete. */
export const mates = (subject: Subject): readonly Part[] =>
  configs(subject).flatMap((config) =>
    membersOf(config).filter((member) => !isLead(config, member) && Object.hasOwn(member.fields, "backendType")),
  );

/** The name of the directory that a file below `teams` or `tasks` lies in. */
export const directoryOf = ({ path }: Pick<Part, "path">): string => path.split("/")[1] ?? "";

export const stemOf = ({ path }: Pick<Part, "path">): string =>
  (path.split("/").at(-1) ?? "").slice(0, -".json".length);

export const entries = (subject: Subject): readonly Part[] =>
  inboxes(subject).flatMap(({ path, value }) =>
    Array.isArray(value) ? value.map((entry: unknown, index) => part(path, `/${index}`, entry)) : [],
  );

/** Inboxes, also those that are no array. */
export const inboxes = ({ teams }: Subject): readonly Part[] =>
  teams.flatMap(({ name, inboxes }) =>
    [...inboxes].map(([owner, { value }]) => part(`teams/${name}/inboxes/${owner}.json`, "", value)),
  );

export const tasks = ({ taskLists }: Subject): readonly Part[] =>
  taskLists.flatMap(({ name, tasks }) =>
    [...tasks].flatMap(([id, { value }]) => (value === undefined ? [] : [part(`tasks/${name}/${id}.json`, "", value)])),
  );

/** Every document, as its bytes were found. */
export const documents = ({ teams, taskLists }: Subject): readonly (Part & { readonly document: FoundDocument })[] => [
  ...teams.flatMap(({ name, config, inboxes }) => [
    { ...part(configPath(name), "", config.value), document: config },
    ...[...inboxes].map(([owner, document]) => ({
      ...part(`teams/${name}/inboxes/${owner}.json`, "", document.value),
      document,
    })),
  ]),
  ...taskLists.flatMap(({ name, tasks }) =>
    [...tasks].map(([id, document]) => ({ ...part(`tasks/${name}/${id}.json`, "", document.value), document })),
  ),
];
