-- How people prove who they are. people, sessions, accounts, verifications, passkeys and two_factors are written by the
-- sign-in library, which has names of its own for them (integrations/identity); invitations and sign_in_attempts by us.

alter table people
  add column email_verified boolean not null default false,
  add column image text,
  add column two_factor_enabled boolean not null default false,
  add column updated_at timestamptz;
-- Until now people were added by the operator of the server alone, whose word is good for their addresses.
update people set updated_at = created_at, email_verified = true;
alter table people alter column updated_at set not null;

create table sessions (
  id uuid primary key,
  person_id uuid not null references people,
  -- SHA-256 of what the cookie holds, in hexadecimal.
  token text not null unique,
  ip_address text,
  user_agent text,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  -- When it was used last, to the hour.
  updated_at timestamptz not null
);
create index sessions_by_person on sessions (person_id);

-- What a person signs in with: `credential` is a password, `oidc` somebody at the identity provider.
create table accounts (
  id uuid primary key,
  person_id uuid not null references people,
  provider_id text not null,
  account_id text not null,
  -- argon2id
  password text,
  -- The library has places for what a provider hands out. We ask it for nothing later, so they stay empty.
  access_token text check (access_token is null),
  refresh_token text check (refresh_token is null),
  id_token text check (id_token is null),
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (provider_id, account_id)
);
create index accounts_by_person on accounts (person_id);

insert into accounts (id, person_id, provider_id, account_id, password, created_at, updated_at)
select gen_random_uuid(), id, 'credential', id::text, password_hash, created_at, created_at
from people where password_hash is not null;
alter table people drop column password_hash;

-- What is to be shown again soon: links that reset a password, challenges, the second step of a sign-in.
create table verifications (
  id uuid primary key,
  -- A digest of it: whoever reads the table cannot use a link.
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index verifications_by_identifier on verifications (identifier);
create index verifications_by_expiry on verifications (expires_at);

create table passkeys (
  id uuid primary key,
  person_id uuid not null references people,
  name text,
  public_key text not null,
  credential_id text not null unique,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz
);
create index passkeys_by_person on passkeys (person_id);

create table two_factors (
  id uuid primary key,
  person_id uuid not null unique references people,
  -- Encrypted, both.
  secret text not null,
  backup_codes text not null,
  verified boolean not null default false,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);

-- Fixed windows in which attempts are counted, by a digest of whose they are. Shared by all nodes.
create table sign_in_attempts (
  key text primary key,
  attempts integer not null,
  ends_at timestamptz not null
);

create table invitations (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'admin', 'member')),
  -- SHA-256 of the code in the link that was shown, and of the one that was mailed. Who comes with the latter can read
  -- mail to that address.
  code_digest text not null unique,
  mailed_digest text unique,
  invited_by uuid references people,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by uuid references people,
  revoked_at timestamptz
);
create index invitations_by_workspace on invitations (workspace_id, id);
