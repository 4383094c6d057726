import type { Codec, Member, Read, TeamConfig, TeamLayout } from "@troupe/protocol";
import { memberOf } from "@troupe/protocol/rules";
import { readBytes } from "./document.ts";
import { withLock } from "./lock.ts";
import { keptUnder, ownOfTeam } from "./own-directory.ts";
import { publish, type WriteOptions } from "./publication.ts";

export interface JoinOnceDeps extends WriteOptions {
  readonly name: string;
  readonly layout: TeamLayout;
  readonly codec: Codec;
  readonly once: string;
  /** The member as it joins, and the config with it; throws where it cannot. */
  readonly joining: (found: Read<TeamConfig>) => { readonly member: Member; readonly document: object };
}

/**
 * Registers a teammate under a key of the caller's, or finds the one that was registered under it.
 */
export const joinOnce = ({ name, layout, codec, once, joining, limits, isDurable }: JoinOnceDeps): Promise<Member> =>
  withLock(
    layout.config,
    (held) => {
      const found = codec.readTeam(readBytes(layout.config) ?? "", name);
      const kept = keptUnder<Member>(ownOfTeam(layout, name, found.value ?? {}), once);
      const before = kept.read();
      const there = before && found.value && memberOf(found.value, before.result.name);
      // Another may have taken the name after a crash before the config was written.
      const isOurs = there?.joinedAt === before?.result.joinedAt && there?.prompt === before?.result.prompt;
      const known = isOurs ? there : undefined;
      if (before && (before.isDone || known)) {
        if (!before.isDone) kept.keep(held, true, before.result, isDurable);
        return known ?? before.result;
      }
      const { member, document } = joining(found);
      kept.keep(held, false, member, isDurable);
      publish(held, layout.config, codec.write(document), isDurable);
      kept.keep(held, true, member, isDurable);
      return member;
    },
    limits,
  );
