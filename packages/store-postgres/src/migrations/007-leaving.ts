/**
 * A member that leaves takes its host's grant with it, so one that joins under its name later is no
 * member of that host. What a host was asked to start keeps its grant until that has ended.
 */
export const leaving = `
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

create function revoke_left() returns trigger language plpgsql security definer set search_path from current as $$
declare
  members jsonb;
begin
  if not exists (select from host_grant where team = new.id and epoch is null) then return null; end if;
  members := plain(new.config) -> 'members';
  if jsonb_typeof(members) is distinct from 'array' then return null; end if;
  delete from host_grant where team = new.id and epoch is null
    and member not in (select m ->> 'name' from jsonb_array_elements(members) as t (m) where m ->> 'name' is not null);
  return null;
end $$;

create trigger leaving after update of config on team for each row execute function revoke_left();
`;
