import assert from 'node:assert/strict'
import pg from 'pg'
import { exportAudit } from '../../domain/record/audit/export.ts'
import { tools } from '../../faces/mcp/tools/index.ts'
import { routes } from '../../faces/rest/routes.ts'
import { testApp } from '../app.ts'
import { aMember, aToken } from '../factories.ts'
import { inputOf, operations, populated } from '../operations.ts'
import { until } from '../until.ts'

/** Something that anyone can read, over whichever face. */
interface Reading {
  name: string
  /** 'ok', or what was said instead. */
  ask(): Promise<string>
}

/** With the tables that its statements may touch. */
interface KnownReading extends Reading {
  tables: ReadonlySet<string>
}

/** A server, all that can be read of it, and a way to make one of its tables slow. */
export async function slowReads() {
  const app = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '1000000', DATABASE_CONNECTIONS: '10' } })
  const holder = new pg.Client({ connectionString: app.databaseUrl })
  await holder.connect()
  const named = await tablesByName(holder)
  const readings = await known(await everything(app), named)
  const ready: Reading = { name: '/readyz', ask: () => outcomeOf(fetch(`${app.url}/readyz`)) }
  return {
    readings,
    /** Those that something reads. */
    tables: [...named.tables].filter((table) => readings.some(({ tables }) => tables.has(table))),
    /**
     * Has one of them ask a table that is locked for as long as it takes the others to be answered. Every other reading
     * of `some` that does not touch the table is among these, and the probe of readiness always is.
     */
    async makeSlow(table: string, slow: KnownReading, some: readonly KnownReading[]): Promise<void> {
      const others = [ready, ...some.filter(({ tables }) => !tables.has(table))]
      await holder.query(`begin; lock table ${table} in access exclusive mode`)
      let answered: string | null = null
      const waiting = slow.ask().then((outcome) => {
        answered = outcome
        return outcome
      })
      try {
        await until(
          `${slow.name} waits for ${table}`,
          async () => answered !== null || isWaitedFor(holder, table),
        )
        const asked = others.map(async ({ name, ask }) => `${name}: ${await ask()}`)
        const harmed = (await Promise.all(asked)).filter((outcome) => !outcome.endsWith(': ok'))
        assert.deepEqual(harmed, [], `while ${slow.name} waited for ${table}`)
        assert.ok(answered === null || answered === 'ok', `${slow.name}: ${answered}`)
      } finally {
        await holder.query('commit')
      }
      assert.equal(await waiting, 'ok', `${slow.name}, once ${table} was no longer slow`)
    },
    async stop() {
      await holder.end()
      await app.stop()
    },
  }
}

async function isWaitedFor(holder: pg.Client, table: string): Promise<boolean> {
  const { rowCount } = await holder.query(
    'select from pg_locks where not granted and relation = $1::regclass limit 1',
    [table],
  )
  return rowCount === 1
}

/** Reads of the REST API, of the app and of agents. */
async function everything(app: Awaited<ReturnType<typeof testApp>>): Promise<Reading[]> {
  const { workspace, slug, keys, cookie } = await populated(app)
  const owner = await aMember(workspace, 'owner')
  const { token } = await aToken(owner, ['admin'])
  const ids: Record<string, string> = {
    ...{ team: keys.team!, story: keys.story!, run: keys['runs.key']!, decision: keys['decisions.key']! },
    ...{ incident: keys.incident!, requirement: keys['requirements.slug']! },
    export: (await exportAudit(owner, {}, 'json')).id,
  }
  const overRest = routes
    .filter(({ method }) => method === 'GET')
    .map(({ path }): Reading => {
      const filled = path.replaceAll(/:(\w+)/g, (_, name) => ids[name] ?? 'none')
      return { name: filled, ask: () => outcomeOf(app.get(filled, token)) }
    })
  const inApp = operations
    .filter(({ name, method }) => method === 'GET' || name === 'audit.verify')
    .map((operation): Reading => {
      const path = operation.isPersonal ? `/api/${operation.name}` : `/api/w/${slug}/${operation.name}`
      const input = inputOf(operation, keys)
      const query = new URLSearchParams(
        Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
      )
      const isRead = operation.method === 'GET'
      const init = isRead ? {} : { method: 'POST', body: JSON.stringify(input) }
      const headers = { cookie, origin: app.url, 'content-type': 'application/json' }
      return {
        name: operation.name,
        ask: () => outcomeOf(fetch(`${app.url}${path}${isRead ? `?${query}` : ''}`, { ...init, headers })),
      }
    })
  const byAgents = tools
    .filter(({ hints, input }) => hints.readOnlyHint && (input.required ?? []).every((name) => name in ids))
    .map(({ name, input }): Reading => {
      const given = Object.fromEntries((input.required ?? []).map((field) => [field, ids[field]]))
      const call = { method: 'tools/call', params: { name, arguments: given } }
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
      }
      return { name, ask: () => outcomeOf(app.get('/mcp?toolsets=all', token, init)) }
    })
  return [...overRest, ...inApp, ...byAgents]
}

async function outcomeOf(asked: Promise<Response>): Promise<string> {
  const response = await asked
  const text = await response.text()
  return response.status === 200 && !text.includes('"isError":true')
    ? 'ok'
    : `${response.status} ${text.slice(0, 200)}`
}

/** Those that are answered, each with what its statements name. They are asked twice: memory answers some the next time. */
async function known(readings: readonly Reading[], { tablesIn }: Named): Promise<KnownReading[]> {
  const found: KnownReading[] = []
  for (const reading of readings) {
    const outcomes: string[] = []
    const texts = await statementsOf(async () => {
      for (const _ of [1, 2]) outcomes.push(await reading.ask())
    })
    if (outcomes.every((outcome) => outcome === 'ok')) found.push({ ...reading, tables: tablesIn(texts) })
  }
  return found
}

/** What this process asks the database in the meantime. */
async function statementsOf(work: () => Promise<void>): Promise<string[]> {
  const texts: string[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [first] = given as [string | { text?: string }]
    texts.push(typeof first === 'string' ? first : (first.text ?? ''))
    return Reflect.apply(query, this, given)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return texts
}

interface Named {
  tables: ReadonlySet<string>
  tablesIn(texts: readonly string[]): Set<string>
}

/** Of words in a statement: a table, or a function or a view that reads some. What writes runs triggers, and checks keys. */
async function tablesByName(client: pg.Client): Promise<Named> {
  const { rows: all } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`)
  const { rows: others } = await client.query<{ name: string; text: string; writes: boolean }>(`
    select proname as name, prosrc as text, false as writes from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select viewname, definition, false from pg_views where schemaname = 'public'
    union all
    select tgrelid::regclass::text, p.prosrc, true from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where not tgisinternal
    union all
    select conrelid::regclass::text, confrelid::regclass::text, true from pg_constraint where contype = 'f'`)
  const tables = new Set(all.map(({ name }) => name))
  const wordsIn = (text: string) => new Set(text.match(/\w+/g) ?? [])
  const beneath = others.map(({ text, ...other }) => ({ ...other, words: wordsIn(text) }))
  const tablesOf = (text: string): string[] => {
    const words = wordsIn(text)
    const isWrite = /\b(insert|update|delete)\b/i.test(text)
    for (const other of beneath)
      if (words.has(other.name) && (isWrite || !other.writes)) for (const word of other.words) words.add(word)
    return [...words].filter((word) => tables.has(word))
  }
  return { tables, tablesIn: (texts) => new Set([...new Set(texts)].flatMap(tablesOf)) }
}
