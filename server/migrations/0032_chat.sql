-- Decisions and incidents in a chat tool: where they were posted, and who the people there are.

alter table places
  -- Through which account we post there; null: from before accounts were connected, nothing reaches it.
  add column connection_id uuid,
  add foreign key (workspace_id, connection_id) references connections (workspace_id, id);

-- When a click last reached us: buttons that lead nowhere are found before anybody needs them.
alter table connections add column clicked_at timestamptz;

alter table workspaces
  -- Whether a person of the chat tool is taken for the member who has the same verified e-mail address.
  add column chat_by_email boolean not null default false;

-- Who a user of a chat tool is here.
create table chat_links (
  workspace_id uuid not null,
  connection_id uuid not null,
  -- The tool's own id of the user.
  chat_user text not null,
  person_id uuid not null references people,
  linked_at timestamptz not null,
  primary key (workspace_id, connection_id, chat_user),
  foreign key (workspace_id, connection_id) references connections (workspace_id, id)
);
create index chat_links_by_person on chat_links (workspace_id, person_id);

-- Opens the page on which a person says that a user of the chat tool is them. Works once, for a while.
create table chat_link_codes (
  code_hash bytea primary key,
  workspace_id uuid not null,
  connection_id uuid not null,
  chat_user text not null,
  -- As the tool names them, so that the person sees whom they are about to be.
  chat_name text not null,
  expires_at timestamptz not null,
  foreign key (workspace_id, connection_id) references connections (workspace_id, id)
);
create index chat_link_codes_by_age on chat_link_codes (expires_at);

-- What stands in a place, one message for each subject, which is kept current.
create table chat_messages (
  workspace_id uuid not null,
  place_id uuid not null,
  -- dec-k3x9, inc-7q2m
  subject text not null,
  -- What the tool calls the message.
  message text not null,
  posted_at timestamptz not null,
  primary key (workspace_id, place_id, subject),
  foreign key (workspace_id, place_id) references places (workspace_id, id) on delete cascade
);
create index chat_messages_by_subject on chat_messages (workspace_id, subject);
