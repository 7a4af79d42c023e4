-- Who is signed in. Written by the sign-in library; read by us on every request of the app.

create table sessions (
  id uuid primary key,
  person_id uuid not null references people,
  -- SHA-256 of what the cookie holds, in hexadecimal.
  token text not null unique,
  ip_address text,
  user_agent text,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index sessions_by_person on sessions (person_id);
