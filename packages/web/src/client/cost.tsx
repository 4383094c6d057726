import type { BillView, CostView, TeamView } from "../views.ts";
import { moneyText, shareText, tokenText } from "./models/words.ts";
import { Empty, Name, Waiting } from "./parts.tsx";
import { useView } from "./views.ts";

/** What the members have used, each with the agents below it. */
export function Cost({ team }: { team: TeamView }) {
  const { data, fault } = useView<CostView>(`team/${encodeURIComponent(team.name)}/cost`);
  if (!data) return <Waiting fault={fault} />;
  const { members, forks, total, unpriced } = data;
  const most = Math.max(1, ...members.map(({ bill }) => sentIn(bill)));
  return (
    <>
      <h1>
        Cost <small>{members.length > 0 ? moneyText(total.cost) : ""}</small>
      </h1>
      {members.length === 0 ? <Empty>No transcript of a member is on this machine.</Empty> : null}
      {unpriced.length > 0 ? (
        <p class="fault">No price is known for {unpriced.join(", ")}: its tokens are counted, its cost is not.</p>
      ) : null}
      {members.length === 0 ? null : (
        <table class="cost">
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col" class="number">
                Cost
              </th>
              <th scope="col" class="number wide">
                Requests
              </th>
              <th scope="col">Tokens sent, from the cache</th>
              <th scope="col" class="number wide">
                Answered
              </th>
              <th scope="col" class="number wide">
                Agents below
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map(({ name, agents, bill }) => (
              <Row key={name} bill={bill} most={most} agents={agents}>
                <Name
                  team={team.name}
                  name={name}
                  color={team.members.find((one) => one.name === name)?.color ?? null}
                />
              </Row>
            ))}
          </tbody>
          <tfoot>
            <Row bill={total} most={0} agents={members.reduce((sum, { agents }) => sum + agents, 0)}>
              <b>All</b>
            </Row>
          </tfoot>
        </table>
      )}
      {forks.length === 0 ? null : (
        <>
          <h2>Forks beside their limit</h2>
          <table class="cost">
            <thead>
              <tr>
                <th scope="col">Fork</th>
                <th scope="col">Of</th>
                <th scope="col" class="number">
                  Cost
                </th>
                <th scope="col">Read from the cache, of what it could</th>
              </tr>
            </thead>
            <tbody>
              {forks.map(({ member, description, bill, cacheRead, cacheReadLimit }, at) => (
                <tr key={at}>
                  <td>{description || "a fork"}</td>
                  <td>{member}</td>
                  <td class="number">{moneyText(bill.cost)}</td>
                  <td>
                    <Bar part={cacheRead} whole={cacheReadLimit} most={cacheReadLimit} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </>
  );
}

const sentIn = ({ input, cacheRead, cacheWrite }: BillView): number => input + cacheRead + cacheWrite;

function Row({
  bill,
  most,
  agents,
  children,
}: {
  bill: BillView;
  most: number;
  agents: number;
  children: preact.ComponentChildren;
}) {
  return (
    <tr>
      <td>{children}</td>
      <td class="number">{moneyText(bill.cost)}</td>
      <td class="number wide">{bill.requests}</td>
      <td>
        <Bar part={bill.cacheRead} whole={sentIn(bill)} most={most} />
      </td>
      <td class="number wide">{tokenText(bill.output)}</td>
      <td class="number wide">{agents > 0 ? agents : ""}</td>
    </tr>
  );
}

/** A part of a whole: in words, and as a bar as long as the whole is of the most. */
const Bar = ({ part, whole, most }: { part: number; whole: number; most: number }) => (
  <span class="bar">
    {most === 0 ? null : (
      <i aria-hidden="true" style={{ width: `${(80 * whole) / Math.max(1, most)}px` }}>
        <i style={{ width: shareText(part, whole).replace(" ", "") }} />
      </i>
    )}
    {tokenText(part)} of {tokenText(whole)} ({shareText(part, whole)})
  </span>
);
