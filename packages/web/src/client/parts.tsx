import type { ComponentChildren } from "preact";
import type { DiffLine, MemberState, MemberView } from "../views.ts";
import { hashOf } from "./models/route.ts";
import { ageText, sourceWords, stateWords } from "./models/words.ts";
import { now } from "./stream.ts";

/** A state by its shape and its word. */
export function State({
  state,
  since,
  source,
}: {
  state: MemberState;
  since?: string | null;
  source?: MemberView["source"];
}) {
  const title = source === undefined ? undefined : sourceWords[source];
  return (
    <span class={`state ${state}`} title={title}>
      <i aria-hidden="true" />
      {stateWords[state]}
      {since ? <Age at={since} /> : null}
    </span>
  );
}

/** How long ago something was. */
export const Age = ({ at }: { at: string | number | null }) => {
  const text = ageText(at, now.value);
  return text === "" ? null : <span class="age">{text}</span>;
};

/** The name of a member, with its colour as a mark beside it. */
export function Name({ team, name, color }: { team: string; name: string; color?: string | null }) {
  return (
    <a class="name" href={hashOf({ screen: "member", team, of: [name] })}>
      <i class={`swatch c-${color ?? "none"}`} aria-hidden="true" />
      {name}
    </a>
  );
}

/** What is said where there is nothing to show. */
export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>;

export const Waiting = ({ fault }: { fault: string | undefined }) =>
  fault === undefined ? (
    <Empty>Looking …</Empty>
  ) : (
    <p class="fault" role="alert">
      {fault}
    </p>
  );

const signs = { " ": "stays", "-": "goes", "+": "comes" } as const;

/** A diff: each line says by its sign what becomes of it. */
export function Diff({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <div class="diff" role="group" aria-label="what would change" tabIndex={0}>
      {lines.map(({ sign, text }) => (
        <div class={signs[sign]}>
          <span class="sign">{sign}</span>
          {text}
        </div>
      ))}
    </div>
  );
}
