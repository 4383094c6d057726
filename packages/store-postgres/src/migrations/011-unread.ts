/**
 * The look that follows each wake: plans of a function are kept by its session, and to plan the
 * statement took longer than to run it. It has the rights of its caller.
 */
export const unread = `
-- As a text of JSON, in order; null where the lease is not of this epoch any more.
create function unread_mail(in_team bigint, in_name text, in_epoch bigint) returns text language plpgsql as $$
begin
  perform from inbox where team = in_team and name = in_name and epoch = in_epoch and lease_until > clock_timestamp();
  if not found then return null; end if;
  return (select coalesce(json_agg(json_build_object('seq', seq::text, 'doc', doc::text) order by seq), '[]')
    from message where team = in_team and name = in_name and state = 'unread');
end $$;
`;
