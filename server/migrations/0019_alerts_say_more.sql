-- What was cut says so, and only the app can mark a test: a label is the sender's to set.
alter table alerts
  add column is_test boolean not null default false,
  -- What did not fit, in sentences.
  add column cuts jsonb not null default '[]';
update alerts set is_test = true
where labels ? 'signalbox_test' and title = 'Test alert from Signalbox';

-- Credentials are for acknowledging and resolving, which only the paging tools can be asked for.
update sources set credentials = null where credentials is not null and kind not in ('pagerduty', 'opsgenie');

-- Months are made for the clock of whoever writes. One that is wrong by a lifetime must not fill the catalogue with
-- tables, so beyond 25 years nothing is made.
alter function prepare_audit_months(date) rename to make_audit_months;
alter function prepare_delivery_months(date) rename to make_delivery_months;

create function last_month_of(parent regclass) returns date
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(max(to_date(right(c.relname, 7), 'YYYY_MM')), current_date)
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = parent and c.relname ~ '_\d{4}_\d{2}$'
$$;

create function prepare_audit_months(until date) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if until > last_month_of('audit_entries') + interval '25 years' then
    raise 'the clock is years ahead: no month is made for %', until;
  end if;
  perform make_audit_months(until);
end $$;

create function prepare_delivery_months(until date) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if until > last_month_of('deliveries') + interval '25 years' then
    raise 'the clock is years ahead: no month is made for %', until;
  end if;
  perform make_delivery_months(until);
end $$;
