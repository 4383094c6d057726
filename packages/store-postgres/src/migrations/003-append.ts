/**
 * A message as one call and one transaction: its place, its time, and the event that says so. It
 * has the rights of its caller: policies and triggers judge it as they do statements.
 */
export const append = `
-- Without it an update of an inbox touches no index; a watch looks at all inboxes of its team.
drop index inbox_changed;

create function append_message(
  to_team bigint, inbox_name text,
  as_of xid8, -- nothing is done where the team was changed since; null asks nothing
  document text, identity text, -- of which the hash is the key of its content
  mark text, -- stands for the time in these, and for the number in the event
  event_by text, event_doc text -- null records nothing
) returns table (seq bigint, sent_at text) language plpgsql as $$
begin
  if as_of is not null then
    perform from team where id = to_team and ended_at is null and changed = as_of;
    if not found then return; end if;
  end if;
  loop
    update inbox as i set next_seq = i.next_seq + 1, changed = pg_current_xact_id()
      where i.team = to_team and i.name = inbox_name returning i.next_seq - 1 into seq;
    exit when found;
    insert into inbox (team, name, changed) values (to_team, inbox_name, pg_current_xact_id()) on conflict do nothing;
  end loop;
  sent_at := to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  insert into message (team, name, seq, doc, content_key) values (
    to_team, inbox_name, append_message.seq, replace(document, mark, sent_at)::json,
    encode(sha256(convert_to(replace(identity, mark, sent_at), 'UTF8')), 'hex') || '#0'
  );
  if event_by is not null then
    with next as (update history as h set next_seq = h.next_seq + 1 where h.team = to_team returning h.next_seq - 1 as n)
      insert into event (team, seq, at, by, doc)
      select to_team, n, clock_timestamp(), event_by, replace(event_doc, mark, append_message.seq::text)::json from next;
  end if;
  return next;
end $$;
`;
