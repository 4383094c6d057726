/**
 * What bridges to roots of files know of each other. Only the owner of the tables sees it. `via` is
 * the root that a message was read from.
 */
export const bridge = `
alter table message add column via text;
create index message_by_content on message (team, name, content_key);

-- A name of a host in a team is of one root; whoever runs its bridge has its epoch.
create table bridge_host (
  team bigint not null references team,
  host text not null,
  root text not null,
  epoch bigint not null default 1,
  heard_at timestamptz not null default clock_timestamp(),
  unsent int not null default 0,
  problems json not null default '[]',
  primary key (team, host)
);

-- Where a member lives, or lived last.
create table bridge_member (
  team bigint not null references team,
  member text not null,
  host text not null,
  primary key (team, member)
);

-- A task without an owner that clients of one root alone may claim.
create table bridge_offer (
  list bigint not null references task_list,
  task bigint not null,
  host text not null,
  since timestamptz not null default clock_timestamp(),
  wanted_by text,
  primary key (list, task)
);

-- Ids that clients of one root give by themselves.
create table bridge_ids (
  list bigint not null references task_list,
  first bigint not null,
  last bigint not null,
  host text not null,
  primary key (list, first)
);

-- Who creates a task has to know.
create policy host on bridge_ids for select using (list in (select list from team));
do $$
declare one text;
begin
  for one in select distinct role from host_grant loop execute format('grant select on bridge_ids to %I', one); end loop;
end $$;

alter table bridge_host enable row level security;
alter table bridge_member enable row level security;
alter table bridge_offer enable row level security;
alter table bridge_ids enable row level security;
`;
