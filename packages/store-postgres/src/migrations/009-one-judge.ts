/**
 * A message costs less. What policies and triggers ask of each statement of a host is asked once of
 * a message as a whole, which is written with the rights of the owner then. Of statements that a
 * host makes by itself they ask as before.
 */
export const oneJudge = String.raw`
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- They were looked up and locked for each row, right after the row that they name was changed.
alter table message drop constraint message_team_name_fkey;
alter table event drop constraint event_team_fkey;

-- Unread mail stands in an index of its own: a new message is one entry less.
create index message_read on message (team, name, seq) where state = 'read';
drop index message_shown;

-- Room for the next version of a row on its own page, which no index hears of.
alter table inbox set (fillfactor = 50);
alter table history set (fillfactor = 50);

drop function append_message;
create function append_message(
  to_team bigint, inbox_name text,
  as_of xid8, -- nothing is done where the team was changed since; null asks nothing
  document text, identity text, -- of which the hash is the key of its content
  mark text, -- stands for the time in these, and for the number in the event
  event_by text, event_doc text, -- null records nothing
  for_host boolean default false -- whether the role of the session is judged here
) returns table (seq bigint, sent_at text) language plpgsql as $$
declare
  said json;
begin
  if not for_host and row_security_active('message'::regclass) then
    return query select * from append_as_host(to_team, inbox_name, as_of, document, identity, mark, event_by, event_doc);
    return;
  end if;
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
  said := replace(document, mark, sent_at);
  -- After the inbox and before the history, which is the order of all that lock these.
  if for_host then
    -- The sender is the same as in plain(doc) where there is no such escape, and found in a tenth of the time.
    perform judge_sender(to_team, case when strpos(said::text, '\u') = 0 then said else plain(said)::json end ->> 'from', event_by);
  end if;
  insert into message (team, name, seq, doc, content_key) values (
    to_team, inbox_name, append_message.seq, said,
    encode(sha256(convert_to(replace(identity, mark, sent_at), 'UTF8')), 'hex') || '#0'
  );
  if event_by is not null then
    with next as (update history h set next_seq = h.next_seq + 1 where h.team = to_team returning h.next_seq - 1 as n)
      insert into event (team, seq, at, by, doc)
      select to_team, n, clock_timestamp(), event_by, replace(event_doc, mark, append_message.seq::text)::json from next;
  end if;
  return next;
end $$;

-- Refuses what a host may not send or record. A grant that counts stays until the transaction ends.
create function judge_sender(in_team bigint, sender text, event_by text) returns void language plpgsql as $$
declare
  mine bigint := session_epoch();
begin
  if not acts_as(in_team, sender) then perform refuse(format('send as %s', coalesce(sender, 'nobody'))); end if;
  if event_by <> sender and not acts_as(in_team, event_by) then
    perform refuse(format('record what %s did', event_by));
  end if;
  if mine is null then return; end if;
  perform from host_grant where epoch = mine and role = session_user for key share;
  if not found then perform start_goes_on(); end if;
end $$;

create function append_as_host(
  to_team bigint, inbox_name text, as_of xid8, document text, identity text, mark text, event_by text, event_doc text
) returns table (seq bigint, sent_at text) language plpgsql security definer set search_path from current as $$
begin
  perform start_goes_on();
  perform from team t where t.id = to_team and t.ended_at is null
    and t.id in (select g.team from host_grant g where g.role = session_user);
  if found then
    return query select a.seq, a.sent_at
      from append_message(to_team, inbox_name, as_of, document, identity, mark, event_by, event_doc, true) a;
  elsif as_of is null then
    perform refuse('send into this team');
  end if;
end $$;
`;
