import { type Command, defineCommand } from "../command.ts";

/** The command that shows teams in a browser. */
export const webCommands: readonly Command[] = [
  defineCommand({
    name: "web",
    summary: "show all teams in a browser of this machine: who needs you, tasks, conversations, cost",
    details:
      "Prints an address that ends with a token, which only this run takes. Listens on the loopback interface alone: from another machine, ssh -L PORT:127.0.0.1:PORT brings the page there. Only looks, unless --write lets you answer requests, write to members and change tasks; the log of the team says then who did. An agent cannot run it with --write. Takes no lock and writes nothing without --write.",
    args: [],
    options: {
      port: { value: "PORT", summary: "listen on this port (default: any that is free)" },
      write: { summary: "the page may answer requests, write to members and change tasks" },
      person: { value: "NAME", summary: "who acts, as the log says it (default: the user of this system)" },
      open: { summary: "open the page in the browser" },
    },
    examples: [
      ["troupe web --open", "look at all teams"],
      ["troupe web --write --port 7333", "approve plans and answer members from the page"],
    ],
    isLive: true,
    load: () => import("./web.ts"),
  }),
];
