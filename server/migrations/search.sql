-- How words are found in titles. Applied after every migration, because what the database offers can change: with pg_trgm
-- anywhere in a title, without it where a word begins. `title_matches` is the one place that knows which; PostgreSQL puts
-- its body into the statement and so finds the index that fits.
do $$
declare
  searched constant text[][] := array[
    ['stories', 'title'], ['decisions', 'title'], ['incidents', 'title'], ['requirements', 'text']
  ];
  trigrams text;
  pair text[];
begin
  begin
    create extension if not exists pg_trgm;
  -- Not installed on the server, or not ours to create.
  exception when feature_not_supported or undefined_file or insufficient_privilege then null;
  end;
  select quote_ident(nspname) into trigrams
  from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm';

  foreach pair slice 1 in array searched loop
    -- Asked first: creating one that exists would wait for every writer.
    if trigrams is not null and to_regclass(pair[1] || '_by_trigrams') is null then
      execute format('create index %I on %I using gin (%I %s.gin_trgm_ops)', pair[1] || '_by_trigrams', pair[1], pair[2], trigrams);
    end if;
    if trigrams is null and to_regclass(pair[1] || '_by_words') is null then
      execute format(
        $index$create index %I on %I using gin (to_tsvector('simple', regexp_replace(%I, '[^[:alnum:]]+', ' ', 'g')))$index$,
        pair[1] || '_by_words', pair[1], pair[2]
      );
    end if;
  end loop;

  if trigrams is not null then
    create or replace function title_matches(title text, within text, beginnings text)
      returns boolean language sql immutable parallel safe
      as $body$ select title ilike within $body$;
  else
    create or replace function title_matches(title text, within text, beginnings text)
      returns boolean language sql immutable parallel safe
      as $body$
        select to_tsvector('simple', regexp_replace(title, '[^[:alnum:]]+', ' ', 'g')) @@ to_tsquery('simple', beginnings)
      $body$;
  end if;

  foreach pair slice 1 in array searched loop
    execute format('drop index if exists %I', pair[1] || case when trigrams is null then '_by_trigrams' else '_by_words' end);
  end loop;
end $$;
