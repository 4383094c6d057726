/**
 * Hosts, what leads ask of them, and the fence between two runs of one teammate. A host writes none
 * of these tables: taking a request grants a member, which the owner's functions do for it. Each
 * start of a teammate has an epoch of its own, which its connections name as `troupe.epoch`.
 */
export const spawns = `
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

create table host (
  role text primary key,
  -- What the owner says of it; what it says of itself stands in labels beside that.
  given text[] not null default '{}',
  labels text[] not null default '{}',
  slots int not null default 0,
  -- Of the process that serves it: a later one ends an earlier one.
  epoch bigint not null default 0,
  lease_until timestamptz,
  heard_at timestamptz
);

create table spawn_request (
  id bigint generated always as identity primary key,
  team bigint not null references team,
  member text not null,
  spec json not null,
  wanted text[] not null,
  state text not null default 'wanted' check (state in ('wanted', 'taken', 'running', 'ended')),
  role text references host,
  epoch bigint,
  stop_ms int,
  starts int not null default 0,
  reason text,
  detail text,
  result json,
  made_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp()
);
create unique index spawn_request_live on spawn_request (team, member) where state <> 'ended';
create index spawn_request_open on spawn_request (id) where state <> 'ended';

-- Each start that there was, for those that are refused to be told what became of theirs.
create table spawn_try (
  epoch bigint generated always as identity primary key,
  request bigint not null references spawn_request,
  role text not null,
  at timestamptz not null default clock_timestamp()
);

alter table host_grant add column epoch bigint unique;

create function session_epoch() returns bigint language sql stable as $$
  select nullif(current_setting('troupe.epoch', true), '')::bigint
$$;

-- A grant for one start counts for connections of that start alone.
create or replace function acts_as(in_team bigint, name text) returns boolean
language plpgsql security definer set search_path from current as $$
begin
  perform from host_grant where team = in_team and member = name and role = session_user
    and (epoch is null or epoch = session_epoch()) for key share;
  return found;
end $$;

-- A connection of a start that is over is told why.
create function start_goes_on() returns boolean
language plpgsql security definer set search_path from current as $$
declare
  mine bigint := session_epoch();
  why text;
begin
  if mine is null then return true; end if;
  perform from host_grant where epoch = mine and role = session_user;
  if found then return true; end if;
  select format('%s of %s does nothing any more as epoch %s on %s: %s', r.member, t.name, mine, s.role,
      case when r.state = 'ended' then format('it has ended (%s)', coalesce(r.detail, r.reason))
           when r.epoch is distinct from mine and r.state in ('taken', 'running')
             then format('it was started again on %s, as epoch %s', r.role, r.epoch)
           else 'its host was given up, and it waits for another one' end)
    into why
    from spawn_try s join spawn_request r on r.id = s.request join team t on t.id = r.team
    where s.epoch = mine and s.role = session_user;
  raise exception '%', coalesce(why, format('epoch %s was never one of the role %s', mine, session_user))
    using errcode = 'TR001';
end $$;

-- It writes nothing at all. What it has begun to write is waited for by who starts the teammate again.
create function fence() returns trigger language plpgsql security definer set search_path from current as $$
declare
  mine bigint := session_epoch();
begin
  if mine is null then return null; end if;
  perform from host_grant where epoch = mine and role = session_user for key share;
  if not found then perform start_goes_on(); end if;
  return null;
end $$;

drop policy host on team;
create policy host on team using (
  (select start_goes_on()) and ended_at is null and id in (select team from host_grant where role = session_user)
);

create trigger fence before insert or update or delete on team for each statement
  when (row_security_active('team'::regclass)) execute function fence();
create trigger fence before insert or update or delete on task_list for each statement
  when (row_security_active('task_list'::regclass)) execute function fence();
create trigger fence before insert or update or delete on task for each statement
  when (row_security_active('task'::regclass)) execute function fence();
create trigger fence before insert or update or delete on task_edge for each statement
  when (row_security_active('task_edge'::regclass)) execute function fence();
create trigger fence before insert or update or delete on inbox for each statement
  when (row_security_active('inbox'::regclass)) execute function fence();
create trigger fence before insert or update or delete on message for each statement
  when (row_security_active('message'::regclass)) execute function fence();
create trigger fence before insert or update or delete on history for each statement
  when (row_security_active('history'::regclass)) execute function fence();
create trigger fence before insert or update or delete on event for each statement
  when (row_security_active('event'::regclass)) execute function fence();
create trigger fence before insert or update or delete on kept_result for each statement
  when (row_security_active('kept_result'::regclass)) execute function fence();
create trigger fence before insert or update or delete on plan for each statement
  when (row_security_active('plan'::regclass)) execute function fence();

alter table host enable row level security;
alter table spawn_request enable row level security;
alter table spawn_try enable row level security;
create policy host on host for select using (role = session_user);
create policy host on spawn_request for select using (role = session_user);

-- The process of the role that is held now, in database time; the rest is refused.
create function served(in_epoch bigint) returns host
language plpgsql security definer set search_path from current as $$
declare
  mine host;
begin
  select * into mine from host where role = session_user;
  if mine is null then perform refuse('serve as a host: troupe host add admits it'); end if;
  if mine.epoch <> in_epoch then
    raise exception 'another troupe host runs as % since (epoch % here, % there)', session_user, in_epoch, mine.epoch
      using errcode = 'TR001';
  end if;
  if mine.lease_until <= clock_timestamp() then
    raise exception 'the lease of % had ended: what it ran may run elsewhere', session_user using errcode = 'TR002';
  end if;
  return mine;
end $$;

-- Says what it offers. What it may say of itself is where and with what it runs, and no more.
create function host_enter(in_slots int, in_labels text[], lease_ms int) returns bigint
language plpgsql security definer set search_path from current as $$
declare
  result bigint;
begin
  update host set slots = in_slots, epoch = epoch + 1, heard_at = clock_timestamp(),
    lease_until = clock_timestamp() + least(lease_ms, 3600000) * interval '1 millisecond',
    labels = given || ('host:' || role)
      || array(select l from unnest(in_labels) as l where l ~ '^(backend|model|repo):')
  where role = session_user returning epoch into result;
  if result is null then perform refuse('serve as a host: troupe host add admits it'); end if;
  return result;
end $$;

create function host_renew(in_epoch bigint, lease_ms int) returns void
language plpgsql security definer set search_path from current as $$
begin
  perform served(in_epoch);
  update host set heard_at = clock_timestamp(),
    lease_until = clock_timestamp() + least(lease_ms, 3600000) * interval '1 millisecond'
  where role = session_user;
end $$;

-- Ends the lease of a host that stops, or that waits for nothing any more.
create function host_leave(in_epoch bigint) returns void
language plpgsql security definer set search_path from current as $$
begin
  update host set lease_until = clock_timestamp() where role = session_user and epoch = in_epoch;
end $$;

-- Gives a request that waits, or whose host is heard of no more, to this host, and its member too.
create function host_take(in_epoch bigint) returns setof bigint
language plpgsql security definer set search_path from current as $$
declare
  mine host := served(in_epoch);
  asked spawn_request;
  start bigint;
begin
  if (select count(*) from spawn_request where role = session_user and state in ('taken', 'running')) >= mine.slots
  then return; end if;
  select r.* into asked from spawn_request r left join host h on h.role = r.role
    where r.stop_ms is null and r.wanted <@ mine.labels
      and (r.state = 'wanted' or r.state in ('taken', 'running') and h.lease_until <= clock_timestamp())
      and exists (select from team t where t.id = r.team and t.ended_at is null)
    order by r.id limit 1 for no key update of r skip locked;
  if asked.id is null then return; end if;
  perform from host_grant where team = asked.team and member = asked.member for update;
  insert into spawn_try (request, role) values (asked.id, session_user) returning epoch into start;
  insert into host_grant (team, member, role, epoch) values (asked.team, asked.member, session_user, start)
    on conflict (team, member) do update set role = excluded.role, epoch = excluded.epoch;
  update spawn_request set state = 'taken', role = session_user, epoch = start, starts = starts + 1,
    changed_at = clock_timestamp() where id = asked.id;
  return next start;
end $$;

-- The mail of a member is received by its new start at once; a call of its own, so that nobody
-- holds a grant and waits for an inbox.
create function host_free(start bigint) returns void
language plpgsql security definer set search_path from current as $$
begin
  update inbox i set epoch = i.epoch + 1, lease_until = null, changed = pg_current_xact_id()
    from host_grant g where g.epoch = start and g.role = session_user and i.team = g.team and i.name = g.member;
end $$;

-- What became of a start. One that has ended, or is given back, is granted to nobody.
create function host_report(start bigint, in_state text, in_reason text, in_detail text, in_result json) returns void
language plpgsql security definer set search_path from current as $$
begin
  if in_state not in ('taken', 'running', 'ended', 'wanted') then perform refuse('report ' || in_state); end if;
  perform from host_grant where epoch = start and role = session_user for update;
  if not found then
    raise exception 'the start % is none of % any more', start, session_user using errcode = 'TR001';
  end if;
  update spawn_request set state = in_state, reason = in_reason, detail = in_detail,
    result = coalesce(in_result, result), changed_at = clock_timestamp(),
    role = case in_state when 'wanted' then null else role end
  where epoch = start and role = session_user and state in ('taken', 'running');
  if in_state in ('ended', 'wanted') then delete from host_grant where epoch = start; end if;
end $$;
`;
