import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Drift, ManagedResource } from '@signalbox/contract/app/managed.ts'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Plan } from '@signalbox/contract/manage/plan.ts'
import type { ManagedState } from '@signalbox/contract/manage/resource.ts'
import { createToken } from '../../domain/accounts/tokens/create.ts'
import { changeRole } from '../../domain/accounts/workspaces/change-role.ts'
import { createTeam } from '../../domain/work/policies/create-team.ts'
import { testApp } from '../../test/app.ts'
import { aMember, aToken, aWorkspace } from '../../test/factories.ts'
import { signedIn } from '../../test/signed-in.ts'
import { openApi } from '../rest/openapi.ts'
import { manageOpenApi } from './openapi.ts'

const cli = path.join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts')

describe('configuration as code', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  let folder: string
  before(async () => {
    app = await testApp({ env: { MANAGEMENT_API: 'on' } })
    folder = await mkdtemp(path.join(tmpdir(), 'signalbox-manage-'))
  })
  after(async () => {
    await app.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function anOwner() {
    const workspace = await aWorkspace(app.storage.db)
    const owner = { ...(await aMember(workspace, 'owner')), slug: workspace.slug }
    const asked = { name: 'ci', permissions: ['read'], expires: '30d', manages: true } as const
    const { token } = await createToken(owner, { ...asked, permissions: ['read'], personId: owner.personId })
    return { owner, token, page: await signedIn(app, owner) }
  }

  const send = (method: string, at: string, token: string, body?: unknown) =>
    app.get(`/manage/v1/${at}`, token, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  const codeOf = async (response: Response) =>
    ((await response.json()) as { error: { code: string } }).error.code

  /** The command line, as CI calls it. */
  const type = (token: string, ...args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = { PATH: process.env.PATH, HOME: folder, SIGNALBOX_URL: app.url, SERVICE_API_KEY: token }
      execFile(process.execPath, [cli, ...args], { env, cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      )
    })

  test('only a token that may manage the configuration gets in, of an owner or admin', async () => {
    const { owner, token } = await anOwner()
    assert.equal((await send('GET', 'configuration', token)).status, 200)
    const { token: admin } = await aToken(owner, ['admin'])
    const refused = await send('GET', 'configuration', admin)
    assert.deepEqual([refused.status, await codeOf(refused)], [403, 'insufficient_scope'])
    const member = await aMember(owner, 'member')
    await assert.rejects(
      createToken(member, {
        ...{ personId: member.personId, name: 'x', permissions: ['read'], expires: '30d', manages: true },
      }),
      { code: 'insufficient_role' },
    )
  })

  test('one resource is read, made, changed and deleted by its name, with the entries of the app', async () => {
    const { token, page } = await anOwner()
    const team = { name: 'Web', keyPrefix: 'WEB' }
    for (const description of [null, 'The shop', 'The shop']) {
      const put = await send('PUT', 'teams/web', token, { ...team, description })
      assert.equal(put.status, 200, await put.clone().text())
      const { spec, managed, locked } = (await put.json()) as ManagedState
      assert.deepEqual(
        { spec, managed, locked },
        { spec: { ...team, description }, managed: true, locked: true },
      )
    }
    const { data } = (await (await page.read('audit.list', { team: 'web' })).json()) as { data: AuditEntry[] }
    assert.deepEqual(data.map(({ event }) => event).toReversed(), [
      ...['team_created', 'policy_changed', 'team_changed'],
    ])
    assert.ok(data.every(({ details }) => details.channel === 'manage'))
    const wrong = await send('PUT', 'policies/web', token, { preset: 'trial', maxConcurrency: 0 })
    assert.deepEqual([wrong.status, await codeOf(wrong)], [400, 'invalid_request'])
    const lost = await send('PUT', 'policies/none', token, { preset: 'trial' })
    assert.match(await lost.text(), /policies\.none names the team none/)
    assert.equal((await send('DELETE', 'teams/web', token)).status, 204)
    assert.equal((await send('GET', 'teams/web', token)).status, 404)
    assert.deepEqual((await (await page.read('managed.list')).json()) as object, { data: [] })
  })

  test('export, diff and apply from a terminal; what the file manages is locked in the app until it is unlocked', async () => {
    const { owner, token, page } = await anOwner()
    const plan = async (configuration: unknown) =>
      (await (await send('POST', 'plan', token, { configuration })).json()) as Plan
    await createTeam(owner, { name: 'Web', slug: 'web', keyPrefix: 'WEB', preset: 'balanced' })
    const exported = await type(token, 'export')
    assert.equal(
      exported.stdout,
      `version: 1\nteams:\n  web:\n    name: Web\n    keyPrefix: WEB\npolicies:\n  web:\n    preset: balanced\nmembers:\n  ${owner.email}:\n    role: owner\n`,
      exported.stderr,
    )
    const web = { name: 'Webshop', keyPrefix: 'WEB' }
    const balanced = { preset: 'balanced' }
    const same = { version: 1, teams: { web: { ...web, name: 'Web' } }, policies: { web: balanced } }
    assert.deepEqual((await plan(same)).changes, [])
    // A file that changes nothing still locks what it describes, so that is asked for as well.
    const as = path.join(folder, 'same.yaml')
    await writeFile(as, JSON.stringify(same))
    const unasked = await type(token, 'apply', '-f', as)
    assert.deepEqual([unasked.code, /Use --yes/.test(unasked.stderr)], [2, true], unasked.stderr)
    assert.match(unasked.stdout, /^2 resources are already as described, .*which locks them in the app\.$/m)
    const before = (await (await send('GET', 'teams/web', token)).json()) as ManagedState
    assert.equal(before.managed, false)
    const marked = await type(token, 'apply', '--yes', '-f', as)
    assert.match(marked.stdout, /^Marked as managed by file: 2 resources\.$/m)
    assert.match((await type(token, 'apply', '-f', as)).stdout, /^No differences\.$/m)

    const file = path.join(folder, 'signalbox.yaml')
    const wanted = {
      version: 1,
      teams: { web, ops: { name: 'Ops', keyPrefix: 'OPS' } },
      policies: { web: balanced, ops: { preset: 'trial', maxConcurrency: 2 } },
    }
    await writeFile(file, JSON.stringify(wanted))
    const differs = await type(token, 'diff', '--check')
    assert.equal(differs.code, 2, differs.stderr)
    assert.match(differs.stdout, /^\+ teams\.ops$/m)
    assert.match(differs.stdout, /^~ teams\.web\n {4}name: "Web" -> "Webshop"$/m)
    assert.match(differs.stdout, /Plan: 2 to create, 1 to change, 0 to delete\./)
    assert.match((await type(token, 'apply')).stderr, /Use --yes/)
    const applied = await type(token, 'apply', '--yes')
    assert.deepEqual([applied.code, applied.stderr], [0, ''])
    const after = await plan(wanted)
    assert.deepEqual([after.changes, after.adopted], [[], []])

    const rename = () => page.write('teams.change', { team: 'web', name: 'By hand' })
    const refused = await rename()
    assert.equal(refused.status, 409)
    assert.match(await refused.text(), /managed by a file/)
    const { data } = (await (await page.read('managed.list')).json()) as { data: ManagedResource[] }
    const { kind, id } = data.find((one) => one.kind === 'teams' && one.name === 'web')!
    assert.equal((await page.write('managed.unlock', { kind, id })).status, 200)
    assert.equal((await rename()).status, 200)
    const shown = (await (await page.read('managed.drift')).json()) as { data: Drift[] }
    assert.deepEqual(
      shown.data.map((one) => [one.kind, one.fields]),
      [['teams', [{ field: 'name', file: 'Webshop', now: 'By hand' }]]],
    )
    const [drift] = (await plan(wanted)).changes
    assert.deepEqual(drift?.fields, [{ field: 'name', before: 'By hand', after: 'Webshop' }])
    assert.equal((await send('POST', 'apply', token, { configuration: wanted })).status, 200)
    assert.equal((await rename()).status, 409)

    // Nothing is deleted unless that is asked for.
    const less = { version: 1, teams: { web }, policies: { web: balanced } }
    const { changes, abandoned } = await plan(less)
    assert.deepEqual([changes, abandoned.map(({ name }) => name)], [[], ['ops', 'ops']])
    await writeFile(file, JSON.stringify(less))
    const pruned = await type(token, 'apply', '--yes', '--prune')
    assert.equal(pruned.code, 0, pruned.stderr)
    assert.match(pruned.stdout, /^- teams\.ops$/m)
    assert.equal((await send('GET', 'teams/ops', token)).status, 404)
    const schema = (await (await send('GET', 'schema.json', token)).json()) as { title: string }
    assert.equal(schema.title, 'Signalbox configuration')
  })

  test('a source says where its sender delivers: over the API, and after it was created by a file', async () => {
    const { token } = await anOwner()
    const file = path.join(folder, 'sources.yaml')
    const sources = {
      grafana: { kind: 'grafana', name: 'Grafana' },
      web: { kind: 'generic', name: 'Scripts' },
    }
    await writeFile(file, JSON.stringify({ version: 1, sources }))
    const applied = await type(token, 'apply', '--yes', '-f', file)
    assert.equal(applied.code, 0, applied.stderr)
    const { data } = (await (await send('GET', 'sources', token)).json()) as { data: ManagedState[] }
    assert.deepEqual(
      data.map(({ name }) => name),
      ['grafana', 'web'],
    )
    for (const { name, address } of data) {
      assert.ok(address!.startsWith(`${app.signalUrl}/`), `${address}`)
      assert.ok(
        applied.stdout.split('\n').includes(`sources.${name} takes alerts at ${address}`),
        applied.stdout,
      )
      const delivered = await fetch(address!, { method: 'POST', body: '{}' })
      assert.notEqual(delivered.status, 404, 'it is the address of this source')
    }
    const again = await type(token, 'apply', '--yes', '-f', file)
    assert.doesNotMatch(again.stdout, /takes alerts/)
  })

  test('what the file says counts from the moment it is applied, also where it changes nothing', async () => {
    const { owner, token, page } = await anOwner()
    const { personId, email } = await aMember(owner, 'member')
    const file = path.join(folder, 'roles.yaml')
    const say = async (role: string) => {
      await writeFile(file, JSON.stringify({ version: 1, members: { [email]: { role } } }))
      const applied = await type(token, 'apply', '--yes', '-f', file)
      assert.equal(applied.code, 0, applied.stderr)
    }
    const drift = async () => ((await (await page.read('managed.drift')).json()) as { data: Drift[] }).data
    await say('member')
    // Past the lock, as an identity provider does.
    await changeRole({ ...owner, actor: { type: 'service', name: 'Identity provider' } }, personId, 'admin')
    assert.equal((await drift()).length, 1)
    await say('admin')
    assert.deepEqual(await drift(), [])
  })

  test('a name is whatever the file may have, over the API too', async () => {
    const { token } = await anOwner()
    const file = path.join(folder, 'names.yaml')
    const name = 'Über/wachung, o’Brien’s'
    await writeFile(file, JSON.stringify({ version: 1, sources: { [name]: { kind: 'generic', name: 'S' } } }))
    assert.equal((await type(token, 'apply', '--yes', '-f', file)).code, 0)
    const at = `sources/${encodeURIComponent(name)}`
    assert.equal(((await (await send('GET', at, token)).json()) as ManagedState).name, name)
    assert.equal((await send('DELETE', at, token)).status, 204)
    assert.equal((await send('GET', 'sources/a%0Ab', token)).status, 400)
  })

  test('a check in CI refuses what apply would refuse, with the line and what would do', async () => {
    const { token } = await anOwner()
    const file = path.join(folder, 'wrong.yaml')
    const said = async (...lines: string[]) => {
      await writeFile(file, ['version: 1', ...lines].join('\n'))
      const { code, stderr } = await type(token, 'diff', '--check', '-f', file)
      return [code, stderr]
    }
    const team = ['teams:', '  web:', '    name: Web']
    assert.deepEqual(await said(...team, '    keyPrefix: web'), [
      ...[1, `${file}, line 5: \`teams.web.keyPrefix\` must look like WEB.\n`],
    ])
    assert.deepEqual(await said(...team, '    keyPrefix: WEB', '    colour: red'), [
      1,
      `${file}, line 6: There is no field \`teams.web.colour\` here. Known: name, keyPrefix, description.\n`,
    ])
    // What is missing is there, mistyped.
    assert.deepEqual(await said('teams:', '  web:', '    nam: Web', '    keyPrefix: WEB'), [
      1,
      `${file}, line 4: There is no field \`teams.web.nam\` here. Known: name, keyPrefix, description.\n`,
    ])
    assert.deepEqual(await said('teams:', '  web: {}'), [
      1,
      `${file}, line 3: \`teams.web.name\` and \`teams.web.keyPrefix\` are missing.\n`,
    ])
    const [code, why] = await said('teams:', '  Web Shop: { name: Web, keyPrefix: WEB }')
    assert.deepEqual(
      [code, why],
      [
        ...[
          1,
          `${file}, line 3: teams.Web Shop: A team slug is lowercase words joined by hyphens, at most 64 characters.\n`,
        ],
      ],
    )
  })

  test('a plan that was overtaken is not applied', async () => {
    const { token } = await anOwner()
    const configuration = { version: 1, teams: { web: { name: 'Web', keyPrefix: 'WEB' } } }
    const plan = (await (await send('POST', 'plan', token, { configuration })).json()) as Plan
    await send('PUT', 'teams/web', token, { name: 'Other', keyPrefix: 'WEB' })
    const late = await send('POST', 'apply', token, { configuration, fingerprint: plan.fingerprint })
    assert.deepEqual([late.status, await codeOf(late)], [409, 'changed_meanwhile'])
  })

  test('a file of another version is told which one is understood', async () => {
    const { token } = await anOwner()
    const response = await send('POST', 'plan', token, { configuration: { version: 2 }, prune: false })
    assert.equal(response.status, 400)
    assert.match(await response.text(), /`configuration\.version` must be 1\./)
  })

  test('the management API describes itself, apart from the REST API', () => {
    const paths = Object.keys(manageOpenApi().paths)
    assert.ok(paths.includes('/manage/v1/teams/{name}'))
    assert.ok(Object.keys(openApi().paths).every((one) => !one.startsWith('/manage')))
  })
})

test('without the setting there is no management API, and no token for it', async () => {
  const app = await testApp()
  try {
    const workspace = await aWorkspace(app.storage.db)
    const owner = await aMember(workspace, 'owner')
    const { token } = await createToken(owner, {
      ...{ personId: owner.personId, name: 'ci', permissions: ['read'], expires: '30d', manages: true },
    })
    const response = await app.get('/manage/v1/configuration', token)
    assert.equal(response.status, 404)
    assert.match(await response.text(), /management API is off/)
    const page = await signedIn(app, { ...owner, slug: workspace.slug })
    const asked = { name: 'ci', permissions: ['read'], expires: '30d', manages: true }
    assert.equal((await page.write('tokens.create', asked)).status, 400)
  } finally {
    await app.stop()
  }
})
