/**
 * The next task in one call: a free task has beside its document what that is once it is taken, as
 * the text before and after its owner's name, which the codec wrote. Who takes it puts a name in.
 */
export const asTaken = `
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

alter table task add column as_taken text[];

do $$
declare one text;
begin
  for one in select role from host_grant union select role from host loop
    execute format('grant insert (as_taken), update (as_taken) on task to %I', one);
  end loop;
end $$;

-- Edges lead to tasks of others, and are written at both ends.
create or replace function guard_task() returns trigger language plpgsql set search_path from current as $$
declare
  place bigint := (select id from team where list = new.list);
  after jsonb := plain(new.doc);
  before jsonb := case tg_op when 'UPDATE' then plain(old.doc) end;
  owner text := coalesce(after ->> 'owner', '');
  owner_before text := coalesce(before ->> 'owner', '');
  somebody text := gen_random_uuid();
begin
  new.changed := pg_current_xact_id();
  new.changed_at := clock_timestamp();
  if after ->> 'id' is distinct from new.id::text then perform refuse('give a task another id'); end if;
  if tg_op = 'INSERT' and new.id is distinct from (select next_task - 1 from task_list where id = new.list) then
    perform refuse('choose the id of a task');
  end if;
  if owner_before <> '' and not acts_as(place, owner_before) then
    if new.is_gone <> old.is_gone or before - '{blocks,blockedBy}'::text[] <> after - '{blocks,blockedBy}'::text[] then
      perform refuse(format('change a task of %s', owner_before));
    end if;
  elsif owner <> '' and not acts_as(place, owner) then
    perform refuse(format('make %s the owner of a task', owner));
  end if;
  -- Who takes the next one looks at this alone.
  new.is_ready := new.is_ready and owner = '' and after ->> 'status' = 'pending';
  -- What it is once somebody has taken it belongs to this document, and to no other.
  if tg_op = 'UPDATE' and new.as_taken = old.as_taken and new.doc::text <> old.doc::text then new.as_taken := null; end if;
  if new.as_taken is not null and (tg_op = 'INSERT' or new.as_taken is distinct from old.as_taken)
    and (array_length(new.as_taken, 1) is distinct from 2
      or plain((new.as_taken[1] || somebody || new.as_taken[2])::json)
         is distinct from after || jsonb_build_object('owner', somebody, 'status', 'in_progress'))
  then perform refuse('say otherwise what a task is once it is taken'); end if;
  return new;
end $$;

-- The lowest task that can be claimed and that nobody else is taking, or is waited for; no document
-- where there is none, and one that is not taken where its row does not say what it is then.
create function claim_next(
  in_list bigint, in_team bigint,
  as_of xid8, -- nothing is done where the team was changed since; null asks nothing
  agent text, -- as it stands in a text of JSON
  mark text, -- stands for the id in the event
  event_by text, event_doc text -- null records nothing
) returns table (id bigint, doc text, is_taken boolean) language plpgsql as $$
declare
  form text[];
begin
  if as_of is not null then
    perform from team t where t.id = in_team and t.ended_at is null and t.changed = as_of;
    if not found then return; end if;
  end if;
  loop
    select t.id, t.doc::text, t.as_taken into id, doc, form
      from task t where t.list = in_list and t.is_ready order by t.id limit 1 for update skip locked;
    exit when found;
    -- What is in use by others may be free again.
    select t.id, t.doc::text, t.as_taken into id, doc, form
      from task t where t.list = in_list and t.is_ready order by t.id limit 1 for update;
    exit when found;
    -- One that was waited for and taken by another hides those behind it.
    perform from task t where t.list = in_list and t.is_ready limit 1;
    exit when not found;
  end loop;
  is_taken := form is not null;
  if is_taken then
    doc := form[1] || agent || form[2];
    update task t set doc = claim_next.doc::json, as_taken = null, is_ready = false,
      changed_at = clock_timestamp(), changed = pg_current_xact_id()
      where t.list = in_list and t.id = claim_next.id;
    if event_by is not null then
      with next as (update history h set next_seq = h.next_seq + 1 where h.team = in_team returning h.next_seq - 1 as n)
        insert into event (team, seq, at, by, doc)
        select in_team, n, clock_timestamp(), event_by, replace(event_doc, mark, claim_next.id::text)::json from next;
    end if;
  end if;
  return next;
end $$;
`;
