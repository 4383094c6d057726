import { type Command, defineCommand } from "../command.ts";

/** The commands by which programs of others take part in a team. */
export const mcpCommands: readonly Command[] = [
  defineCommand({
    name: "mcp",
    summary: "serve a team to an MCP client, which looks at it or takes part as a member",
    details:
      "The client is what the options say, whatever it says itself: with --as a member, which joins for as long as the client is connected unless it is in the team already; else it only looks. Speaks MCP (2025-06-18, 2025-11-25, 2026-07-28) on standard input and output, or with --http on the loopback interface, where each request needs the token of $TROUPE_MCP_TOKEN, or one that is printed. A client that goes away leaves its mail unread.",
    args: [],
    options: {
      team: { value: "NAME", completes: "team", summary: "the team" },
      as: { value: "MEMBER", summary: "the client is this member" },
      observe: { summary: "the client only looks (the default)" },
      http: { value: "PORT", summary: "serve over HTTP on this port of 127.0.0.1; 0 takes a free one" },
    },
    examples: [
      ["troupe mcp --team parser-team --as bob", "for the configuration of a client: behind `claude mcp add crew --`"],
      ["troupe mcp --team parser-team --observe --http 7333", "any client on this machine can look"],
    ],
    isLive: true,
    load: () => import("./serve.ts"),
  }),
];
