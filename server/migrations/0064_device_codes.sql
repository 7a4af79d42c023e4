-- Sign-ins that were begun in a terminal and wait for a person to confirm them in a browser (RFC 8628). Written by the
-- sign-in library; a row is gone once its session is opened, or has expired.
create table device_codes (
  id uuid primary key,
  -- SHA-256 of what the terminal asks with, in hexadecimal.
  device_code text not null unique,
  -- What the person sees in both places.
  user_code text not null unique,
  -- Who looks at it in a browser; only they can confirm it.
  person_id uuid references people,
  status text not null check (status in ('pending', 'approved', 'denied')),
  client_id text,
  scope text,
  polling_interval integer,
  last_polled_at timestamptz,
  expires_at timestamptz not null
);
create index device_codes_by_person on device_codes (person_id);
create index device_codes_by_expiry on device_codes (expires_at);
