import { useState } from "preact/hooks";
import type { DoctorView } from "../views.ts";
import { isFound } from "./models/find.ts";
import { counted } from "./models/words.ts";
import { Empty, Waiting } from "./parts.tsx";
import { route } from "./place.ts";
import { useView } from "./views.ts";

/** What is wrong with the files, each with the command that fixes it. */
export function Doctor() {
  const { data, fault } = useView<DoctorView>("doctor");
  if (!data) return <Waiting fault={fault} />;
  const found = data.findings.filter(({ path, message }) => isFound(route.value.q, path, message));
  const wrong = found.filter(({ isNote }) => !isNote);
  return (
    <>
      <h1>
        Doctor <small>{wrong.length === 0 ? "nothing is wrong" : counted(wrong.length, "problem")}</small>
      </h1>
      {found.length === 0 ? <Empty>All files of all teams can be read and fit together.</Empty> : null}
      <ul class="findings">
        {[...wrong, ...found.filter(({ isNote }) => isNote)].map(({ path, message, fix, isNote, command, why }) => (
          <li key={path + message} data-item tabIndex={-1}>
            <h2>
              <em class={isNote ? "chip" : "chip warn"}>{isNote ? "note" : "wrong"}</em>
              <span class="path">{path}</span>
            </h2>
            <p>{message}</p>
            <p class="hint">{command === null ? `No command can: ${why ?? fix}` : `${fix}:`}</p>
            {command === null ? null : <Command text={command} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function Command({ text }: { text: string }) {
  const [isCopied, copy] = useState(false);
  return (
    <p class="command">
      <code>{text}</code>
      <button
        type="button"
        onClick={async () => {
          await navigator.clipboard.writeText(text);
          copy(true);
        }}
      >
        {isCopied ? "Copied" : "Copy"}
      </button>
    </p>
  );
}
