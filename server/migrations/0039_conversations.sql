-- What people say about a requirement, in the app or in its chat thread, and what they ask for by it.
create table requirement_replies (
  id uuid primary key,
  workspace_id uuid not null,
  requirement_id uuid not null,
  person_id uuid not null references people,
  -- Through which face it came: app, slack.
  channel text not null,
  -- Which message of a chat tool it was: told twice, it counts once.
  source text,
  text text not null check (text <> '' and length(text) <= 4000),
  -- What was said back; null: nothing needed to be said.
  response text,
  -- {type: answer | stop | retry, key, …}: done only when its author confirms it.
  asks jsonb,
  outcome text check (outcome in ('done', 'refused', 'dismissed')),
  -- What became of it, in a sentence.
  outcome_text text,
  settled_at timestamptz,
  created_at timestamptz not null,
  unique (workspace_id, id),
  unique (workspace_id, requirement_id, source),
  check ((outcome is null) = (settled_at is null)),
  check (outcome is null or asks is not null),
  foreign key (workspace_id, requirement_id) references requirements (workspace_id, id)
);

-- When a channel of a chat tool may be written to again, over all nodes.
create table chat_channels (
  workspace_id uuid not null,
  connection_id uuid not null,
  channel text not null,
  free_at timestamptz not null,
  -- Somebody is writing, until then at the latest.
  busy_until timestamptz,
  primary key (workspace_id, connection_id, channel),
  foreign key (workspace_id, connection_id) references connections (workspace_id, id)
);

-- Who waits for that, and when it is their turn. What concerns one message shares a turn.
create table chat_turns (
  workspace_id uuid not null,
  connection_id uuid not null,
  channel text not null,
  what text not null,
  at timestamptz not null,
  primary key (workspace_id, connection_id, channel, what),
  foreign key (workspace_id, connection_id, channel)
    references chat_channels (workspace_id, connection_id, channel) on delete cascade
);

-- The hash of what a message shows, so that the same is not sent twice.
alter table chat_messages add column shown bytea;
create index chat_messages_by_message on chat_messages (workspace_id, message);
