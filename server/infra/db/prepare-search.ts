import type pg from 'pg'
import { runStatements, type Session } from './run-migration.ts'

/** What is searched, and where its words are. */
const searched = [
  { table: 'stories', column: 'title' },
  { table: 'decisions', column: 'title' },
  { table: 'incidents', column: 'title' },
  { table: 'requirements', column: 'text' },
]

const words = (column: string) =>
  `to_tsvector('simple', regexp_replace(${column}, '[^[:alnum:]]+', ' ', 'g'))`

/**
 * How words are found in titles. Prepared after every migration, because what the database offers can change: with
 * pg_trgm anywhere in a title, without it where a word begins. `title_matches` is the one place that knows which;
 * PostgreSQL puts its body into the statement and so finds the index that fits. Other nodes are serving, so indexes are
 * built concurrently, one after the other.
 */
export async function prepareSearch(session: Session): Promise<void> {
  const { client } = session
  await client.query(createExtension)
  const trigrams = await schemaOfTrigrams(client)
  const indexes = searched.map(({ table, column }) => ({
    byTrigrams: {
      name: `${table}_by_trigrams`,
      on: `${table} using gin (${column} ${trigrams}.gin_trgm_ops)`,
    },
    byWords: { name: `${table}_by_words`, on: `${table} using gin (${words(column)})` },
  }))
  const wanted = indexes.map(({ byTrigrams, byWords }) => (trigrams ? byTrigrams : byWords))
  const unwanted = indexes.map(({ byTrigrams, byWords }) => (trigrams ? byWords : byTrigrams))
  const have = await indexesAmong(client, [...wanted, ...unwanted])
  await runStatements(session, 'search', [
    ...wanted
      .filter(({ name }) => !have.has(name))
      .map(({ name, on }) => `create index concurrently ${name} on ${on}`),
    titleMatches(trigrams ? 'title ilike within' : `${words('title')} @@ to_tsquery('simple', beginnings)`),
    ...unwanted.filter(({ name }) => have.has(name)).map(({ name }) => `drop index concurrently ${name}`),
  ])
}

// Not installed on the server, or not ours to create.
const createExtension = `do $$ begin
  create extension if not exists pg_trgm;
exception when feature_not_supported or undefined_file or insufficient_privilege then null;
end $$`

async function schemaOfTrigrams(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(nspname) as name
     from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm'`,
  )
  return rows[0]?.name ?? null
}

/** Those that are whole: one whose build failed is built again. */
async function indexesAmong(client: pg.Client, indexes: { name: string }[]): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) as name join pg_index on indexrelid = to_regclass(name) and indisvalid`,
    [indexes.map(({ name }) => name)],
  )
  return new Set(rows.map(({ name }) => name))
}

const titleMatches = (
  body: string,
) => `create or replace function title_matches(title text, within text, beginnings text)
  returns boolean language sql immutable parallel safe as $body$ select ${body} $body$`
