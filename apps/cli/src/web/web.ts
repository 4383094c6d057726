import { randomBytes } from "node:crypto";
import { TroupeError } from "@troupe/protocol";
import { readAssets, serveWeb } from "@troupe/web";
import { openBrowser } from "../browser.ts";
import type { Answer, Call } from "../command.ts";
import { assertPerson } from "../steer/answer.ts";
import { personHere } from "./act.ts";
import { openSource } from "./source.ts";

interface WebOptions {
  readonly port?: string;
  readonly write?: boolean;
  readonly person?: string;
  readonly open?: boolean;
}

/** 256 bits, in signs that an address may have. */
const secret = (): string => randomBytes(32).toString("base64url");

/** Serves the page until the signal fires. */
export async function run(call: Call<object, WebOptions>): Promise<Answer | undefined> {
  const { port = "0", write, person = personHere(), open } = call.options;
  if (call.options.person !== undefined && !write)
    throw new TroupeError("arguments_invalid", "--person says who acts, which needs --write");
  if (write) assertPerson(call);
  const source = await openSource(call, write ? person : undefined);
  const { url, ended } = await serveWeb({
    source,
    assets: readAssets(new URL("./page/", import.meta.url)),
    port: portFrom(port),
    token: secret(),
    pass: secret(),
    signal: call.signal,
    show: call.note,
  });
  const may = write ? `${person} may act in it` : "it only looks; --write lets you act in it";
  await call.tell({
    document: { at: call.now().toISOString(), event: "listening", url, person: write ? person : null },
    text: [`open ${url}`, `${may}. Ctrl-C ends it`],
  });
  if (open) openBrowser(new URL(url), call);
  await ended;
  return undefined;
}

function portFrom(word: string): number {
  const port = Number(word);
  if (/^\d+$/.test(word) && port < 65_536) return port;
  throw new TroupeError("arguments_invalid", `--port takes a port from 0 to 65535, not ${JSON.stringify(word)}`);
}
