/**
 * The first tables. Documents are of type `json`, which keeps a text as it was written: `jsonb`
 * sorts keys, drops doubled ones and refuses a NUL character. Nothing is ever deleted. `changed`
 * is the transaction that wrote a row last, by which watchers find what is new to them.
 */
export const tables = `
create table team (
  id bigint generated always as identity primary key,
  name text not null,
  form text not null,
  session_id text not null,
  config json not null,
  list bigint not null,
  ended_at timestamptz,
  changed xid8 not null
);
create unique index team_by_name on team (name) where ended_at is null;
create unique index team_by_session on team (session_id) where ended_at is null;
create index team_ended on team (name, ended_at) where ended_at is not null;

create table task_list (
  id bigint generated always as identity primary key,
  name text not null,
  next_task bigint not null default 1,
  ended_at timestamptz
);
create unique index task_list_by_name on task_list (name) where ended_at is null;
alter table team add foreign key (list) references task_list;

create table task (
  list bigint not null references task_list,
  id bigint not null,
  doc json not null,
  is_ready boolean not null,
  is_gone boolean not null default false,
  changed_at timestamptz not null,
  changed xid8 not null,
  primary key (list, id)
);
create index task_ready on task (list, id) where is_ready;
create index task_changed on task (list, changed);

-- What each task says of its edges, both sides for themselves.
create table task_edge (
  list bigint not null,
  task bigint not null,
  other bigint not null,
  primary key (list, task, other),
  foreign key (list, task) references task
);
create index task_edge_back on task_edge (list, other);

create table inbox (
  team bigint not null references team,
  name text not null,
  next_seq bigint not null default 1,
  epoch bigint not null default 0,
  lease_until timestamptz,
  changed xid8 not null,
  primary key (team, name)
);
create index inbox_changed on inbox (team, changed);

create table message (
  team bigint not null,
  name text not null,
  seq bigint not null,
  doc json not null,
  content_key text not null,
  state text not null default 'unread' check (state in ('unread', 'read', 'gone')),
  primary key (team, name, seq),
  foreign key (team, name) references inbox
);
create index message_unread on message (team, name, seq) where state = 'unread';
create index message_shown on message (team, name, seq) where state <> 'gone';
create index message_content on message (team, name, content_key) where state <> 'gone';

-- A table of its own: whoever records an event waits for the one before it, and for nobody else.
create table history (
  team bigint primary key references team,
  next_seq bigint not null default 1
);
create table event (
  team bigint not null references history,
  seq bigint not null,
  at timestamptz not null,
  by text not null,
  doc json not null,
  primary key (team, seq)
);

create table kept_result (
  scope text not null,
  key text not null,
  result json not null,
  primary key (scope, key)
);

-- A json string: a text of PostgreSQL holds no NUL character.
create table plan (
  name text primary key,
  content json not null
);
`;
