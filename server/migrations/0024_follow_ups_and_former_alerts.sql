-- What an attempt to sign in that failed, or a request for a link, leaves to be done after its answer. Neither may show
-- whether the address is known, so both leave a row, without a person where nobody is known.
create table sign_in_follow_ups (
  id uuid primary key,
  -- No reference: checking it takes time, and only for somebody known.
  person_id uuid,
  -- With what it was tried; null for a link to reset a password.
  method text,
  request_id text not null,
  at timestamptz not null,
  due_at timestamptz not null
);
