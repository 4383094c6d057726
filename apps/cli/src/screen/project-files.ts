import { readdirSync } from "node:fs";
import { join } from "node:path";
import { runProcess } from "@troupe/process";
import type { Call } from "../command.ts";

const most = 20_000;

/** The files of a folder that can be named: those that git knows, else what lies there. */
export async function projectFiles({
  cwd,
  environment,
}: Pick<Call, "cwd" | "environment">): Promise<readonly string[]> {
  const args = ["-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { code, stdout } = await runProcess({
    program: "git",
    args,
    cwd,
    environment: Object.fromEntries(
      Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    timeoutMs: 5_000,
    keptBytes: 4_000_000,
  });
  const files = code === 0 ? stdout.split("\0").filter((name) => name !== "") : below(cwd);
  const folders = new Set(
    files.flatMap((file) => (file.includes("/") ? [file.slice(0, file.lastIndexOf("/") + 1)] : [])),
  );
  return [...new Set(files), ...folders].slice(0, most);
}

function below(top: string): readonly string[] {
  const found: string[] = [];
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined && found.length < most; folder = folders.shift()) {
    for (const entry of entriesOf(join(top, folder))) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.isDirectory()) folders.push(`${folder}${entry.name}/`);
      else found.push(`${folder}${entry.name}`);
    }
  }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
