import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { personalReads, reads } from '@signalbox/contract/app/index.ts'
import type { Operation } from '@signalbox/contract/app/operation.ts'
import type { TObject } from 'typebox'
import { routes } from '../../faces/rest/routes.ts'
import { testApp } from '../app.ts'
import { aDecision, aMember, aTeam, aToken, aWorkspace } from '../factories.ts'
import { signedIn } from '../signed-in.ts'

/** What every query of the app and of the REST API does with its parameters, by its schema. */

const app = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } })
after(() => app.stop())
const workspace = await aWorkspace(app.storage.db)
await aDecision(workspace, await aTeam(workspace))
const owner = { ...(await aMember(workspace, 'owner')), slug: workspace.slug }
const { cookie } = await signedIn(app, owner)
const { token } = await aToken(owner, ['admin'])

const queries: { path: string; query: TObject }[] = [
  ...(Object.entries(reads) as [string, Operation][]).map(([name, { input }]) => ({
    path: `/api/w/${owner.slug}/${name}`,
    query: input,
  })),
  ...(Object.entries(personalReads) as [string, Operation][]).map(([name, { input }]) => ({
    path: `/api/${name}`,
    query: input,
  })),
  ...routes.flatMap(({ path, query }) =>
    query ? [{ path: path.replace(':team', 'checkout-web'), query }] : [],
  ),
]

async function ask(path: string, query: Record<string, string>) {
  const headers = { cookie, authorization: `Bearer ${token}`, 'sec-fetch-site': 'same-origin' }
  const answer = await fetch(`${app.url}${path}?${new URLSearchParams(query)}`, { headers })
  const { error } = ((await answer.json()) ?? {}) as { error?: { code: string; message: string } }
  return { status: answer.status, ...error }
}

/** Something that a parameter could be. */
function anExample(schema: { enum?: string[]; examples?: string[] }): string {
  return schema.enum?.[0] ?? schema.examples?.[0] ?? '01900000-0000-7000-8000-00000000dead'
}

/** Every parameter that a query cannot do without. */
function requiredOf({ properties, required }: TObject): Record<string, string> {
  const names: string[] = required ?? []
  return Object.fromEntries(names.map((name) => [name, anExample(properties[name] as object)]))
}

test('a query without a parameter that it needs is refused, and the refusal names it', async () => {
  let omitted = 0
  for (const { path, query } of queries) {
    const whole = requiredOf(query)
    for (const name of Object.keys(whole)) {
      const { [name]: _, ...rest } = whole
      const { status, code, message } = await ask(path, rest)
      assert.deepEqual([status, code], [400, 'invalid_parameter'], `${path} without ${name}`)
      assert.match(message!, new RegExp(`^\`${name}\` is missing`), path)
      omitted += 1
    }
    assert.notEqual((await ask(path, whole)).status, 500, path)
  }
  assert.ok(omitted > 20)
})

describe('a page size above the largest', () => {
  for (const limit of ['101', '1000000000000000', `1${'0'.repeat(30)}`, '9'.repeat(400), '9'.repeat(8_000)])
    test(`is served as the largest, with ${limit.length} digits`, async () => {
      for (const { path, query } of queries.filter(({ query }) => query.properties.limit)) {
        const { status } = await ask(path, { ...requiredOf(query), limit })
        assert.ok(status === 200 || status === 404, `${path} ${status}`)
      }
    })
})

test('a log is asked for from any date on, and up to any', async () => {
  for (const path of ['/v1/audit', '/v1/audit/export', `/api/w/${owner.slug}/audit.list`]) {
    const found = async (query: Record<string, string>) => {
      const headers = { cookie, authorization: `Bearer ${token}` }
      const answer = await fetch(`${app.url}${path}?${new URLSearchParams(query)}`, { headers })
      assert.equal(answer.status, 200, `${path} ${JSON.stringify(query)}`)
      const body = (await answer.json()) as { data: unknown[] } | unknown[]
      return (Array.isArray(body) ? body : body.data).length
    }
    const all = await found({})
    assert.ok(all > 0)
    assert.ok((await found({ from: '1969-12-31' })) >= all)
    assert.ok((await found({ from: '1815-12-10T00:00:00Z', to: '9999-12-31T23:59:59Z' })) >= all)
    assert.equal(await found({ to: '1969-12-31' }), 0)
    assert.equal(await found({ from: '1900-01-01', to: '1910-01-01' }), 0)
    const spoilt = await ask(path, { from: '2026-11-15T13:00:00 02:00' })
    assert.deepEqual([spoilt.status, spoilt.code], [400, 'invalid_parameter'])
    assert.match(spoilt.message!, /%2B/)
    assert.equal((await ask(path, { from: '1910-01-01', to: '1900-01-01' })).status, 400)
  }
})
