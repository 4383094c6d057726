import { messageOf } from "@troupe/protocol";
import { addressOf, changedBy } from "./resources.ts";
import type { Room } from "./room.ts";

export interface UpdatesDeps {
  readonly room: Room;
  readonly signal: AbortSignal;
  readonly tell: (uri: string) => void;
  /** Shows the user what went wrong. */
  readonly show: (message: string) => void;
}

/** Tells the addresses of what changed in the team, from now on until the signal fires. */
export async function followUpdates({ room, signal, tell, show }: UpdatesDeps): Promise<void> {
  const { team, now } = room;
  const since = now().toISOString();
  const changes = async () => {
    for await (const change of team.watch(signal)) for (const uri of changedBy(room, change)) tell(uri);
  };
  const events = async () => {
    for await (const { at } of team.history(undefined, signal))
      if (at >= since) for (const uri of [addressOf(team.name, "log"), addressOf(team.name)]) tell(uri);
  };
  await Promise.all([changes(), events()]).catch((error: unknown) =>
    show(`clients are not told of changes any more: ${messageOf(error)}`),
  );
}
