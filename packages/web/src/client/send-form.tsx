import { useState } from "preact/hooks";
import type { TeamView } from "../views.ts";
import { act } from "./views.ts";

/** Writes to a member in the lead's name. */
export function SendForm({ team, to: given }: { team: TeamView; to?: string }) {
  const others = team.members.filter(({ isLead }) => !isLead).map(({ name }) => name);
  const [to, choose] = useState(given ?? "");
  const [text, write] = useState("");
  const [said, tell] = useState("");
  if (others.length === 0) return null;
  return (
    <form
      class="line"
      onSubmit={async (event) => {
        event.preventDefault();
        const { isDone, words } = await act(team.name, "send", { to: to === "" ? null : to, text });
        if (isDone) write("");
        tell(words);
      }}
    >
      {given !== undefined ? null : (
        <select aria-label="To" value={to} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          <option value="">all</option>
          {others.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      <input
        aria-label={`Message to ${given ?? "the chosen"}`}
        placeholder={`Write to ${given ?? (to || "all")}`}
        data-key="m"
        required
        value={text}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
      <button type="submit">Send</button>
      <span role="status">{said}</span>
    </form>
  );
}
