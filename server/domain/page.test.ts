import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { testApp } from '../test/app.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aToken, aWorkspace } from '../test/factories.ts'

/** Walking a list with any page sizes, while rows are inserted: no row twice, none missing. */

const app = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } })
after(() => app.stop())

const workspace = await aWorkspace(app.storage.db)
const owner = await aMember(workspace, 'owner')
const { token } = await aToken(owner)
const team = await aTeam(workspace)
const story = await aStory(workspace, team)
await aRun(workspace, team, story)
for (let n = 0; n < 30; n += 1) {
  await aStory(workspace, team, { draft: n % 4 === 0 })
  await aDecision(workspace, team, { run: await aRun(workspace, team, await aStory(workspace, team)) })
}

interface Listed {
  data: { id?: string; key?: string }[]
  nextCursor: string | null
}

async function page(path: string, query: Record<string, string>): Promise<Listed> {
  const response = await app.get(`${path}?${new URLSearchParams(query)}`, token)
  assert.equal(response.status, 200, path)
  return response.json() as Promise<Listed>
}

const nameOf = (row: Listed['data'][number]) => row.key ?? row.id!

async function everything(path: string, query: Record<string, string>): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const reply: Listed = await page(path, { ...query, limit: '100', ...(cursor ? { cursor } : {}) })
    names.push(...reply.data.map(nameOf))
    cursor = reply.nextCursor
  } while (cursor)
  return names
}

const insert: Record<string, () => Promise<unknown>> = {
  [`/v1/teams/${team.slug}/stories`]: () => aStory(workspace, team),
  '/v1/runs': async () => aRun(workspace, team, await aStory(workspace, team)),
  '/v1/decisions': () => aDecision(workspace, team),
  '/v1/audit': () => aStory(workspace, team),
}
const filters: Record<string, Record<string, string>[]> = {
  [`/v1/teams/${team.slug}/stories`]: [{}, { drafts: 'true' }],
  '/v1/runs': [{}, { team: team.slug }, { story: story.key }],
  '/v1/decisions': [{}, { status: 'pending' }, { team: team.slug }],
  '/v1/audit': [{}, { event: 'decision_raised' }, { actor: 'system' }, { team: team.slug }],
}

for (const path of Object.keys(insert)) {
  test(`${path}: no row twice, none missing, newest first, whatever the page sizes`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...filters[path]!),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
        async (filter, sizes, inserts) => {
          const before = await everything(path, filter)
          const walked: string[] = []
          let cursor: string | null = null
          for (let n = 0; n === 0 || cursor; n += 1) {
            const size = String(sizes[n % sizes.length])
            const reply: Listed = await page(path, { ...filter, limit: size, ...(cursor ? { cursor } : {}) })
            assert.ok(reply.data.length <= Number(size))
            walked.push(...reply.data.map(nameOf))
            cursor = reply.nextCursor
            if (inserts[n % inserts.length]) await insert[path]!()
          }
          // What the service did before the first page was read comes first.
          assert.deepEqual(walked.slice(Math.max(0, walked.indexOf(before[0]!))), before)
        },
      ),
      { numRuns: 12 },
    )
  })
}

test('a cursor is refused under other filters and in another workspace', async () => {
  const { nextCursor } = await page('/v1/decisions', { limit: '1', status: 'pending' })
  const under = async (path: string, bearer = token) => {
    const response = await app.get(path, bearer)
    return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code]
  }
  assert.deepEqual(await under(`/v1/decisions?cursor=${nextCursor}`), [400, 'invalid_cursor'])
  assert.deepEqual(await under(`/v1/decisions?status=resolved&cursor=${nextCursor}`), [400, 'invalid_cursor'])
  assert.deepEqual(await under(`/v1/decisions?status=pending&limit=7&cursor=${nextCursor}`), [200, undefined])
  const other = await aToken(await aMember(await aWorkspace(app.storage.db), 'owner'))
  assert.deepEqual(await under(`/v1/decisions?status=pending&cursor=${nextCursor}`, other.token), [
    400,
    'invalid_cursor',
  ])
})
