/**
 * Each request ends: with its team, whose name it keeps since hosts do not see teams that have
 * ended, and where a host gives back what was asked to end. Its role is a label of a host as well.
 */
export const spawnsEnd = `
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

alter table spawn_request add column team_name text;
update spawn_request r set team_name = t.name from team t where t.id = r.team;
alter table spawn_request alter column team_name set not null;

create function end_spawns(in_team bigint) returns void language sql set search_path from current as $$
  update spawn_request set stop_ms = coalesce(stop_ms, 5000), changed_at = clock_timestamp(),
    state = case state when 'wanted' then 'ended' else state end,
    reason = case state when 'wanted' then 'shutdown' else reason end,
    detail = case state when 'wanted' then 'its team has ended' else detail end
  where team = in_team and state <> 'ended'
$$;

create function stop_spawns() returns trigger language plpgsql security definer set search_path from current as $$
begin
  perform end_spawns(new.id);
  return null;
end $$;
create trigger ending after update of ended_at on team for each row
  when (old.ended_at is null and new.ended_at is not null) execute function stop_spawns();

select end_spawns(id) from team where ended_at is not null;
update spawn_request set state = 'ended', reason = 'shutdown', detail = 'it was asked to end before a host took it again'
  where state = 'wanted' and stop_ms is not null;

create or replace function host_report(start bigint, in_state text, in_reason text, in_detail text, in_result json) returns void
language plpgsql security definer set search_path from current as $$
begin
  if in_state not in ('taken', 'running', 'ended', 'wanted') then perform refuse('report ' || in_state); end if;
  perform from host_grant where epoch = start and role = session_user for update;
  if not found then
    raise exception 'the start % is none of % any more', start, session_user using errcode = 'TR001';
  end if;
  -- What was asked to end waits for no other host.
  update spawn_request set changed_at = clock_timestamp(), result = coalesce(in_result, result),
    state = case when in_state = 'wanted' and stop_ms is not null then 'ended' else in_state end,
    reason = case when in_state = 'wanted' and stop_ms is not null then 'shutdown' else in_reason end,
    detail = case when in_state = 'wanted' and stop_ms is not null
      then 'it was asked to end, and its host gave it back' else in_detail end,
    role = case when in_state = 'wanted' and stop_ms is null then null else role end
  where epoch = start and role = session_user and state in ('taken', 'running');
  if in_state in ('ended', 'wanted') then delete from host_grant where epoch = start; end if;
end $$;

-- Who asks for a host by its name alone means that one.
create or replace function host_take(in_epoch bigint) returns setof bigint
language plpgsql security definer set search_path from current as $$
declare
  mine host := served(in_epoch);
  asked spawn_request;
  start bigint;
begin
  if (select count(*) from spawn_request where role = session_user and state in ('taken', 'running')) >= mine.slots
  then return; end if;
  select r.* into asked from spawn_request r left join host h on h.role = r.role
    where r.stop_ms is null and r.wanted <@ (mine.labels || mine.role)
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
`;
