-- Personal values that entries of the audit log refer to, apart from them so that they can go (docs/decisions/0093). The
-- reference is a hash of salt and value; without its salt it cannot be told whose it was.
create table audit_personal (
  workspace_id uuid not null references workspaces,
  ref text not null check (length(ref) = 43),
  -- Null for an address of which it is not known whose it is. An id that is gone would not be in the way of the log.
  person_id uuid,
  salt text check (length(salt) = 43),
  value text,
  -- By which erasure salt and value went; the entry person_erased names it.
  erasure uuid,
  primary key (workspace_id, ref),
  check ((salt is null) = (erasure is not null)),
  check ((value is null) = (erasure is not null))
);
create index audit_personal_of_person on audit_personal (person_id);
create index audit_personal_of_address on audit_personal (value) where person_id is null;
create index audit_personal_erased on audit_personal (workspace_id, erasure) where erasure is not null;

alter table people add column erased_at timestamptz;

-- Takes away what the log refers to of a person. The server has no right to change the table in another way.
create function erase_audit_personal(of_person uuid, address text, as_erasure uuid)
returns table (workspace_id uuid, erased integer, digest text)
language sql security definer set search_path = public, pg_temp as $$
  with gone as (
    update audit_personal p set salt = null, value = null, erasure = as_erasure
    where p.erasure is null and (p.person_id = of_person or p.person_id is null and p.value = address)
    returning p.workspace_id, p.ref
  )
  select g.workspace_id, count(*)::integer, encode(sha256(convert_to(string_agg(g.ref, '' order by g.ref), 'UTF8')), 'base64')
  from gone g group by g.workspace_id
$$;

-- The sentence with another name in it, wherever the names are words of it. Keys of JSON stay.
create function without_names(sentence text, pattern text) returns text
language sql immutable parallel safe return regexp_replace(sentence, pattern, 'Erased person', 'g');

-- Sentences that the server wrote about people, with their names: "Stopped by …". Among these tables are some that the
-- server can only add to. Returns how many rows were rewritten.
create function erase_names(workspaces uuid[], names text[]) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  pattern text;
  rewritten integer := 0;
  here integer;
  place record;
begin
  select '(?<![[:alnum:]_])(?:'
    || string_agg(regexp_replace(name, '([^[:alnum:][:space:]])', '\\\1', 'g'), '|' order by length(name) desc, name)
    || ')(?![[:alnum:]_])(?!":)'
  into pattern from unnest(names) as name where name <> '';
  if pattern is null then return 0; end if;
  for place in select * from (values
    ('teams', 'paused_by', ''), ('teams', 'pause_reason', ''), ('policies', 'created_by', ''),
    ('surveys', 'started_by', ''), ('runs', 'reason', ''), ('runs', 'memory', '::jsonb'),
    ('attempts', 'error', ''), ('run_events', 'data', '::jsonb'), ('stories', 'returned_note', ''),
    ('decisions', 'facts', '::jsonb'), ('decisions', 'title', ''), ('decisions', 'body', ''), ('decisions', 'wire', ''),
    ('effects', 'data', '::jsonb'), ('effects', 'last_error', ''),
    ('incident_events', 'text', ''), ('incident_events', 'data', '::jsonb'),
    ('requirement_replies', 'outcome_text', ''), ('tellings', 'reason', ''),
    ('notifications', 'title', ''), ('notifications', 'body', '')
  ) as places (of_table, of_column, back) loop
    execute format(
      'update %1$I set %2$I = without_names(%2$I::text, $1)%3$s where workspace_id = any ($2) and %2$I::text ~ $1',
      place.of_table, place.of_column, place.back) using pattern, workspaces;
    get diagnostics here = row_count;
    rewritten := rewritten + here;
  end loop;
  return rewritten;
end $$;
