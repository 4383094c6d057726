import { TroupeError } from "@troupe/protocol";
import { type Bridge, openBridge } from "@troupe/store-postgres";
import { type Answer, type Call, exits } from "../command.ts";
import { databaseOf } from "../store/database.ts";

interface BridgeCall {
  readonly args: { readonly team?: readonly string[] };
  readonly options: { readonly host?: string; readonly once?: boolean };
}

/** Carries teams until the signal fires, or once. */
export async function run(call: Call<BridgeCall["args"], BridgeCall["options"]>): Promise<Answer | undefined> {
  const { host, once } = call.options;
  const { url, name } = databaseOf(call);
  if (host === undefined)
    throw new TroupeError("arguments_invalid", "say with --host NAME what this machine is called in the teams");
  const named = call.args.team ?? [];
  const at = () => call.now().toISOString();
  const bridge = await openBridge({
    url,
    root: call.root,
    host,
    ...(named.length > 0 && { teams: named }),
    tell(team, problems) {
      const text = problems.length > 0 ? problems.map((one) => `${team}: ${one}`) : [`${team}: nothing is in the way`];
      void call.tell({ document: { at: at(), event: "problems", team, problems }, text });
    },
  });
  try {
    if (once) return await carriedOnce(bridge, at());
    await call.tell({
      document: { at: at(), event: "carrying", host, store: name, teams: bridge.teams },
      text: [
        `${host} carries ${bridge.teams.join(", ") || "no team"} between ${call.root} and ${name}. Ctrl-C ends it`,
      ],
    });
    await bridge.run(call.signal);
    return undefined;
  } finally {
    await bridge.close();
  }
}

async function carriedOnce(bridge: Bridge, at: string): Promise<Answer> {
  const found = [...(await bridge.once())].map(([team, { unsent, problems }]) => ({ team, unsent, problems }));
  const isWhole = found.every(({ unsent, problems }) => unsent === 0 && problems.length === 0);
  return {
    document: { at, event: "carried", teams: found },
    text: found.flatMap(({ team, unsent, problems }) => [
      `${team}: ${unsent === 0 ? "all is sent" : `${unsent} not sent`}`,
      ...problems.map((one) => `        ${one}`),
    ]),
    exit: isWhole ? exits.done : exits.failed,
  };
}
