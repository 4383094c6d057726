import { isRecord } from "../record.ts";
import { configs, directoryOf, leads, mates, members } from "./parts.ts";
import { about, keyFault, orderFault, type Part, type Rule, type Subject, violation } from "./rule.ts";

const isMilliseconds = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing";

const names = (config: Part): readonly unknown[] => {
  const members = config.fields["members"];
  return Array.isArray(members) ? members.filter(isRecord).map(({ name }) => name) : [];
};

const folded = (name: unknown): string => String(name).normalize("NFC").toLowerCase();

const leadFields = ["agentId", "name", "agentType", "model", "joinedAt", "tmuxPaneId", "cwd", "subscriptions"];
const leadFields11 = ["agentId", "name", "agentType", "joinedAt", "tmuxPaneId", "cwd", "subscriptions", "backendType"];
const mateFields11 = [
  ...["agentId", "name", "color", "joinedAt", "tmuxPaneId", "subscriptions", "agentType", "model", "prompt"],
  ...["planModeRequired", "cwd", "backendType"],
];

/** The fields that a lead does not have in 2026-02. */
const mateOnly = ["prompt", "color", "planModeRequired", "backendType", "isActive"];

/** Rules about configs and members. */
export const teamRules: readonly Rule[] = [
  {
    id: "GRADE-TEAM/a",
    title: "a config can be read, is an object, and lists its members",
    requirements: ["ATP-CFG-013"],
    judge: ({ teams }) =>
      teams.map(({ name, config }) => {
        const isSound = isRecord(config.value) && Array.isArray(config.value["members"]) && config.faults.length === 0;
        return isSound ? [] : [{ path: `teams/${name}/config.json`, at: "", message: "is damaged" }];
      }),
  },
  {
    id: "GRADE-TEAM/b",
    title: "a team is called as its directory",
    requirements: ["ATP-CFG-001"],
    judge: about(configs, (part) =>
      part.fields["name"] === directoryOf(part) ? undefined : `is named ${shown(part.fields["name"])}`,
    ),
  },
  {
    id: "GRADE-TEAM/c",
    title: "createdAt is an integer, in milliseconds",
    requirements: ["ATP-CFG-002"],
    judge: about(configs, ({ fields }) =>
      isMilliseconds(fields["createdAt"]) ? undefined : `createdAt is ${shown(fields["createdAt"])}`,
    ),
  },
  {
    id: "GRADE-TEAM/d",
    title: "leadAgentId is made of the lead's name and the team, and names a member",
    requirements: ["ATP-CFG-003"],
    judge: about(configs, ({ fields }) => {
      const lead = fields["leadAgentId"];
      const isOfTeam = typeof lead === "string" && lead.endsWith(`@${String(fields["name"])}`);
      const isMember = (fields["members"] as unknown[] | undefined)?.some(
        (one) => isRecord(one) && one["agentId"] === lead,
      );
      return isOfTeam && isMember ? undefined : `leadAgentId is ${shown(lead)}`;
    }),
  },
  {
    id: "GRADE-TEAM/e",
    title: "a config says which session leads",
    requirements: ["ATP-CFG-004"],
    judge: about(configs, ({ fields }) => keyFault(fields, ["leadSessionId"])),
  },
  {
    id: "GRADE-TEAM/f",
    title: "no name stands twice among the members",
    requirements: ["ATP-CFG-010"],
    judge: about(configs, (part) => {
      const found = names(part).map(folded);
      const twice = found.filter((name, index) => found.indexOf(name) !== index);
      return twice.length > 0 ? `has twice: ${twice.join(", ")}` : undefined;
    }),
  },
  {
    id: "GRADE-TEAM/g",
    title: "the keys of a config stand in the order of the reference client",
    requirements: ["ATP-CFG-101"],
    judge: about(
      configs,
      ({ fields }) =>
        keyFault(fields, [], ["description"]) ??
        orderFault(fields, ["name", "createdAt", "leadAgentId", "leadSessionId", "leadProcess", "members"]),
    ),
  },
  {
    id: "GRADE-MEMBER/a",
    title: "an agentId is made of the name and the team",
    requirements: ["ATP-MEM-001"],
    judge: about(members, (part) => {
      const expected = `${String(part.fields["name"])}@${directoryOf(part)}`;
      return part.fields["agentId"] === expected ? undefined : `agentId is ${shown(part.fields["agentId"])}`;
    }),
  },
  {
    id: "GRADE-MEMBER/b",
    title: "the lead has its eight fields, no pane, and none of a teammate's",
    requirements: ["ATP-MEM-002", "ATP-MEM-003", "ATP-MEM-004"],
    judge: about(
      leads,
      ({ fields }) =>
        keyFault(fields, leadFields, mateOnly) ??
        (fields["tmuxPaneId"] === "" ? undefined : `tmuxPaneId is ${shown(fields["tmuxPaneId"])}`),
    ),
  },
  {
    id: "GRADE-MEMBER/c",
    title: "the lead has the eight fields of this revision, in their order",
    requirements: ["ATP-MEM-101"],
    judge: about(
      leads,
      ({ fields }) =>
        keyFault(fields, leadFields11, ["model", "prompt", "color", "planModeRequired", "isActive"]) ??
        orderFault(fields, leadFields11),
    ),
  },
  {
    id: "GRADE-MEMBER/d",
    title: "an in-process member has twelve fields, a tmux member isActive as well",
    requirements: ["ATP-MEM-005"],
    judge: about(mates, ({ fields }) =>
      fields["backendType"] === "tmux"
        ? keyFault(fields, [...mateFields11, "isActive"])
        : keyFault(fields, mateFields11, fields["backendType"] === "in-process" ? ["isActive"] : []),
    ),
  },
  {
    id: "GRADE-MEMBER/e",
    title: "the fields of a teammate stand in the order of the reference client",
    requirements: ["ATP-MEM-102"],
    judge: about(
      mates,
      ({ fields }) => keyFault(fields, mateFields11) ?? orderFault(fields, [...mateFields11, "isActive"]),
    ),
  },
  {
    id: "GRADE-MEMBER/f",
    title: "joinedAt is an integer, in milliseconds",
    requirements: ["ATP-MEM-006"],
    judge: about(members, ({ fields }) =>
      fields["joinedAt"] === undefined || isMilliseconds(fields["joinedAt"])
        ? undefined
        : `joinedAt is ${shown(fields["joinedAt"])}`,
    ),
  },
  {
    id: "GRADE-MEMBER/g",
    title: "a member says where it runs by a word of the protocol, and its pane as that backend names it",
    requirements: ["ATP-MEM-012", "ATP-MEM-016", "ATP-MEM-017"],
    judge: about(mates, ({ fields }) => {
      const { backendType, tmuxPaneId } = fields;
      if (backendType === "in-process" && tmuxPaneId === "in-process") return undefined;
      if (backendType === "tmux" && /^%[0-9]+$/.test(String(tmuxPaneId))) return undefined;
      return `backendType is ${shown(backendType)} and tmuxPaneId ${shown(tmuxPaneId)}`;
    }),
  },
  {
    id: "GRADE-MEMBER/h",
    title: "no member says its permission mode",
    requirements: ["ATP-MEM-018"],
    judge: about(members, ({ fields }) => keyFault(fields, [], ["mode", "permissionMode"])),
  },
  {
    id: "GRADE-MEMBER/i",
    title: "the working directory of a member is absolute",
    requirements: ["ATP-MEM-019"],
    judge: about(members, ({ fields }) =>
      fields["cwd"] === undefined || /^(\/|[A-Za-z]:[\\/])/.test(String(fields["cwd"]))
        ? undefined
        : `cwd is ${shown(fields["cwd"])}`,
    ),
  },
  {
    id: "GRADE-MEMBER/j",
    title: "the lead joined when the team was made",
    requirements: ["ATP-MEM-022"],
    judge: leadsJoinAtOnce,
  },
];

function leadsJoinAtOnce(subject: Subject) {
  const made = new Map(configs(subject).map(({ path, fields }) => [path, fields["createdAt"]]));
  return leads(subject).map((lead) =>
    lead.fields["joinedAt"] === made.get(lead.path) ? [] : [violation(lead, "joinedAt is not createdAt")],
  );
}
