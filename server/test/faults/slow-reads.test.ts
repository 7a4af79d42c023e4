import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { testApp } from '../app.ts'
import { aMember, aStory, aTeam, aToken, aWorkspace } from '../factories.ts'

/** Who reads a table that is made slow waits for it. No one else does. */

let app: Awaited<ReturnType<typeof testApp>>
let headers: Record<string, string>
let holder: pg.Client

before(async () => {
  app = await testApp({})
  const owner = await aMember(await aWorkspace(app.storage.db), 'owner')
  const team = await aTeam(owner, 'parcels')
  await aStory(owner, team)
  headers = { authorization: `Bearer ${(await aToken(owner, ['read'])).token}` }
  holder = new pg.Client({ connectionString: app.databaseUrl })
  await holder.connect()
})
after(async () => {
  await holder.end()
  await app.stop()
})

/** What reads each table and nothing else that is locked here. */
const readers = {
  audit_entries: ['/v1/audit', '/v1/audit?event=team_created', '/v1/audit?limit=1'],
  decisions: ['/v1/decisions', '/v1/decisions?status=pending', '/v1/decisions?limit=1'],
} as const
const others = ['/v1/teams', '/v1/teams/parcels', '/v1/teams/parcels/stories', '/v1/runs', '/readyz']

const get = async (path: string) => (await fetch(app.url + path, { headers })).status

test('one slow read, whichever it is, harms none of the others', async () => {
  const tables = Object.keys(readers) as (keyof typeof readers)[]
  for (const paths of [Object.values(readers).flat(), others].flat())
    assert.equal(await get(paths), 200, paths)
  await fc.assert(
    fc.asyncProperty(
      fc
        .constantFrom(...tables)
        .chain((table) => fc.tuple(fc.constant(table), fc.subarray([...readers[table]], { minLength: 1 }))),
      fc.array(fc.constantFrom(...others), { minLength: 1, maxLength: 30 }),
      async ([table, slow], quick) => {
        await holder.query(`begin; lock table ${table} in access exclusive mode`)
        const answered: string[] = []
        const waiting = slow.map((path) => get(path).then((status) => answered.push(path) && status))
        const elsewhere = tables.filter((one) => one !== table).flatMap((one) => readers[one])
        const statuses = await Promise.all([...quick, ...elsewhere].map(get))
        assert.ok(
          statuses.every((status) => status === 200),
          statuses.join(' '),
        )
        assert.deepEqual(answered, [], 'whoever reads it waits')
        await holder.query('commit')
        assert.deepEqual(
          await Promise.all(waiting),
          slow.map(() => 200),
        )
      },
    ),
    { numRuns: process.env.FAULTS === 'all' ? 100 : 6 },
  )
})
