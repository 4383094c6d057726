import { type Command, defineCommand } from "../command.ts";

const serverArg = { name: "server", summary: "its name in mcpServers of the settings, or its URL" } as const;

/** The commands by which programs of others take part in a team. */
export const mcpCommands: readonly Command[] = [
  defineCommand({
    name: "mcp",
    summary: "serve a team to an MCP client, which looks at it, takes part as a member, or leads it",
    details:
      "The client is what the options say, whatever it says itself: with --as a member, which joins for as long as the client is connected unless it is in the team already; else it only looks. Speaks MCP (2025-06-18, 2025-11-25, 2026-07-28) on standard input and output, or with --http on the loopback interface, where each request needs the token of $TROUPE_MCP_TOKEN, or one that is printed. A client that goes away leaves its mail unread. With --lead the client starts and ends teammates within what the options say, and answers what they ask; they run on when it goes away, and it goes on with them when it comes back. Refused while a session leads the team.",
    args: [],
    options: {
      team: { value: "NAME", completes: "team", summary: "the team" },
      as: { value: "MEMBER", summary: "the client is this member" },
      "without-mail": { summary: "with --as: its messages come to it in another way, and it joins nothing" },
      lead: { summary: "the client leads the team" },
      backend: {
        value: "BACKEND",
        isRepeated: true,
        summary:
          "with --lead: where teammates may run: process, tmux, or an agent of others such as acp-gemini; the first is the usual one (default: process)",
      },
      "permission-mode": {
        value: "MODE",
        choices: ["default", "acceptEdits", "bypassPermissions", "dontAsk"],
        summary: "with --lead: which calls of teammates run without a question (default: default)",
      },
      "plan-mode-required": { summary: "with --lead: teammates hand in a plan before they change anything" },
      cwd: { value: "DIR", summary: "with --lead: where teammates work (default: here)", completes: "directory" },
      most: { value: "N", summary: "with --lead: how many teammates there may be (default: 8)" },
      observe: { summary: "the client only looks (the default)" },
      http: { value: "PORT", summary: "serve over HTTP on this port of 127.0.0.1; 0 takes a free one" },
    },
    examples: [
      ["troupe mcp --team parser-team --as bob", "for the configuration of a client: behind `claude mcp add crew --`"],
      [
        "troupe mcp --team parser-team --lead --backend process --backend acp-gemini",
        "the client leads, with two makes",
      ],
      ["troupe mcp --team parser-team --observe --http 7333", "any client on this machine can look"],
    ],
    isLive: true,
    load: () => import("./serve.ts"),
  }),
  defineCommand({
    name: "mcp login",
    summary: "log in at an MCP server behind a URL that asks for it (OAuth)",
    details:
      "Opens the server's page in a browser, which comes back to this machine, and prints its address as well. The login is stored below the root in a file that only you can read, and renewed when it expires. In the settings, oauth.clientId of a server names a client that was registered by hand, and oauth.callbackPort the port that the browser comes back to, which must reach this machine: over ssh, forward it.",
    args: [serverArg],
    options: { "no-browser": { summary: "only print the address of the page" } },
    examples: [
      ["troupe mcp login tracker", "a server of mcpServers in the settings"],
      ["troupe mcp login https://example.com/mcp --no-browser", "any server by its URL, without starting a browser"],
    ],
    load: () => import("./login.ts"),
  }),
  defineCommand({
    name: "mcp logout",
    summary: "remove the login at an MCP server from this machine",
    args: [serverArg],
    options: {},
    examples: [["troupe mcp logout tracker", "the server asks for a login the next time"]],
    load: () => import("./logout.ts"),
  }),
];
