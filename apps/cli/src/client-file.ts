import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { nameKey } from "@troupe/protocol";

/**
 * A file of a member that is no session, in Troupe's own directory. Each team that ever had the
 * name has its own; those of earlier ones go.
 */
export function clientFile(root: string, team: string, createdAt: number, name: string): string {
  const teams = join(root, "troupe/clients", team);
  for (const other of listed(teams)) if (other !== String(createdAt)) rmSync(join(teams, other), { recursive: true });
  return join(teams, String(createdAt), nameKey(name));
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
