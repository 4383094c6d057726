/**
 * What the role of a host may do: act as the members that it was granted, and see their teams. The
 * rules of the protocol stay in TypeScript; these say who writes what, also to code that ignores
 * those. They hold for every role but the owner of the tables. Functions find tables where they
 * were made, and never among the temporary ones of a caller.
 */
export const hosts = String.raw`
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

create table host_grant (
  team bigint not null references team,
  member text not null,
  role text not null,
  primary key (team, member)
);
create index host_grant_by_role on host_grant (role);

-- Whose a plan is: only that role, and the owner of the tables, can read and change it.
alter table plan add column role text not null default session_user;

-- A document as jsonb, which holds neither NUL nor half a pair: these become words, as does what
-- looks like one of those already, so that different texts stay different.
create function plain(doc json) returns jsonb language sql immutable as $$
  select regexp_replace(replace(doc::text, '\\', '\\b'), '\\u(0000|[dD][89a-fA-F]..)', '\\\\u\1', 'g')::jsonb
$$;

-- A grant that was asked for is not taken back until the transaction ends.
create function acts_as(in_team bigint, name text) returns boolean
language plpgsql security definer set search_path from current as $$
begin
  perform from host_grant where team = in_team and member = name and role = session_user for key share;
  return found;
end $$;

create function refuse(what text) returns void language plpgsql as $$
begin
  raise exception 'the role % may not %', session_user, what using errcode = '42501';
end $$;

create function guard_team() returns trigger language plpgsql set search_path from current as $$
declare
  before jsonb := plain(old.config);
  after jsonb := plain(new.config);
begin
  new.changed := pg_current_xact_id();
  if before - 'members' <> after - 'members' then perform refuse('change the team'); end if;
  if (select jsonb_agg(m order by n) from jsonb_array_elements(before -> 'members') with ordinality as t (m, n)
      where not acts_as(new.id, m ->> 'name'))
    is distinct from
     (select jsonb_agg(m order by n) from jsonb_array_elements(after -> 'members') with ordinality as t (m, n)
      where not acts_as(new.id, m ->> 'name'))
  then perform refuse('change other members of the team, or add one'); end if;
  if exists (
    select m - '{isActive,tmuxPaneId,backendType}'::text[] from jsonb_array_elements(after -> 'members') as t (m)
    except all
    select m - '{isActive,tmuxPaneId,backendType}'::text[] from jsonb_array_elements(before -> 'members') as t (m)
  ) then perform refuse('change more of its members than whether and where they run'); end if;
  return new;
end $$;

create function guard_count() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_table_name = 'task_list' then
    if new.next_task not in (old.next_task, old.next_task + 1) then perform refuse('skip or repeat ids'); end if;
  elsif new.next_seq not in (old.next_seq, old.next_seq + 1) then
    perform refuse('skip or repeat numbers');
  end if;
  return new;
end $$;

create function guard_inbox() returns trigger language plpgsql set search_path from current as $$
begin
  new.changed := pg_current_xact_id();
  if tg_op = 'UPDATE' and (new.epoch, new.lease_until) is distinct from (old.epoch, old.lease_until)
    and not acts_as(new.team, new.name)
  then perform refuse(format('receive the mail of %s', new.name)); end if;
  return new;
end $$;

create function guard_message() returns trigger language plpgsql set search_path from current as $$
declare
  after jsonb := plain(new.doc);
begin
  if tg_op = 'INSERT' then
    if not acts_as(new.team, after ->> 'from') then
      perform refuse(format('send as %s', coalesce(after ->> 'from', 'nobody')));
    end if;
    if new.seq is distinct from (select next_seq - 1 from inbox where team = new.team and name = new.name) then
      perform refuse('choose the place of a message');
    end if;
    return new;
  end if;
  if not acts_as(new.team, new.name) then perform refuse(format('take the mail of %s', new.name)); end if;
  if plain(old.doc) - 'read' <> after - 'read' or (old.state, new.state) in (('read', 'unread'), ('gone', 'unread'), ('gone', 'read'))
  then perform refuse('change what was sent'); end if;
  return new;
end $$;

-- Edges lead to tasks of others, and are written at both ends.
create function guard_task() returns trigger language plpgsql set search_path from current as $$
declare
  place bigint := (select id from team where list = new.list);
  after jsonb := plain(new.doc);
  before jsonb := case tg_op when 'UPDATE' then plain(old.doc) end;
  owner text := coalesce(after ->> 'owner', '');
  owner_before text := coalesce(before ->> 'owner', '');
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
  return new;
end $$;

create function guard_event() returns trigger language plpgsql set search_path from current as $$
begin
  new.at := clock_timestamp();
  if not acts_as(new.team, new."by") then perform refuse(format('record what %s did', new."by")); end if;
  if new.seq is distinct from (select next_seq - 1 from history where team = new.team) then
    perform refuse('choose the place of an event');
  end if;
  return new;
end $$;

create trigger guard before update on team for each row
  when (row_security_active('team'::regclass)) execute function guard_team();
create trigger guard before insert or update on inbox for each row
  when (row_security_active('inbox'::regclass)) execute function guard_inbox();
create trigger guard before insert or update on message for each row
  when (row_security_active('message'::regclass)) execute function guard_message();
create trigger guard before insert or update on task for each row
  when (row_security_active('task'::regclass)) execute function guard_task();
create trigger guard before insert on event for each row
  when (row_security_active('event'::regclass)) execute function guard_event();
create trigger guard_count before update on inbox for each row
  when (row_security_active('inbox'::regclass)) execute function guard_count();
create trigger guard_count before update on task_list for each row
  when (row_security_active('task_list'::regclass)) execute function guard_count();
create trigger guard_count before update on history for each row
  when (row_security_active('history'::regclass)) execute function guard_count();

alter table host_grant enable row level security;
alter table team enable row level security;
alter table task_list enable row level security;
alter table task enable row level security;
alter table task_edge enable row level security;
alter table inbox enable row level security;
alter table message enable row level security;
alter table history enable row level security;
alter table event enable row level security;
alter table kept_result enable row level security;
alter table plan enable row level security;

create policy host on host_grant for select using (role = session_user);
create policy host on team
  using (ended_at is null and id in (select team from host_grant where role = session_user));
-- These subqueries are asked under the policies of the tables in them.
create policy host on task_list using (id in (select list from team));
create policy host on task using (list in (select list from team));
create policy host on task_edge using (list in (select list from team));
create policy host on inbox using (team in (select id from team));
create policy host on message using (team in (select id from team));
create policy host on history using (team in (select id from team));
create policy host on event using (team in (select id from team));
create policy host on kept_result
  using (scope in (select format('member %s %s', team, member) from host_grant where role = session_user));
create policy host on plan using (role = session_user);
`;
