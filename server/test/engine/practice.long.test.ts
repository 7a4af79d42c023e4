import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Practice } from '@signalbox/contract/app/practice.ts'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
import { setRunnerApproval } from '../../domain/accounts/workspaces/runner-approval.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import { testApp } from '../app.ts'
import { aMember, aToken, aWorkspace } from '../factories.ts'
import { browsersOf, signedIn } from '../signed-in.ts'
import { tables } from '../tables.ts'
import { until } from '../until.ts'

/** The practice project from its button to its end: the real engine, runner and intake, with a scripted agent. */

let app: Awaited<ReturnType<typeof testApp>>
let dataDir: string
before(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'signalbox-practice-'))
  app = await testApp({ env: { DATA_DIR: dataDir } })
})
after(async () => {
  await app.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Another process on the same data, while the hold of one that was killed has yet to end. */
async function startAgain() {
  const { databaseUrl, url } = app
  const env = { DATA_DIR: dataDir, PORT: new URL(url).port }
  await app.stop()
  app = await testApp({ env, databaseUrl })
  await housekeeping(app.storage.db, 'a process that was killed', (tx) =>
    tables(tx)
      .updateTable('practice_projects')
      .set({ held_by: randomUUID(), held_until: new Date(Date.now() + 3_000) })
      .execute(),
  )
}

async function aPlace() {
  const workspace = await aWorkspace(app.storage.db)
  const person = await aMember(workspace, 'owner')
  const of = browsersOf(app, workspace)
  const owner = await signedIn(app, { ...person, slug: workspace.slug })
  const { token } = await aToken(person, ['read', 'write'])
  return { workspace, person, owner, of, token }
}

type Browser = Awaited<ReturnType<typeof signedIn>>

const projectOf = async (browser: Browser) =>
  ((await (await browser.read('practice.read')).json()) as { project: Practice | null }).project

async function reach(browser: Browser, step: Practice['step']): Promise<Practice> {
  let last: Practice | null = null
  await until(`it comes to ${step}`, async () => {
    last = await projectOf(browser)
    if (last?.step === 'ended' || last?.step === 'asked' || last?.runner === 'trouble')
      throw new Error(
        `It came to ${JSON.stringify(last)} ${await (await browser.read('runs.read', { key: last.run?.key ?? '' })).text()}.`,
      )
    return last?.step === step
  })
  return last!
}

async function answer(token: string, { decision }: Practice): Promise<Decision> {
  const read = await app.get(`/v1/decisions/${decision!.key}`, token)
  const { recommendation } = (await read.json()) as Decision
  const resolved = await app.get(`/v1/decisions/${decision!.key}/resolve`, token, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ optionId: recommendation }),
  })
  assert.equal(resolved.status, 200)
  return (await resolved.json()) as Decision
}

const listed = async (token: string, address: string) =>
  ((await (await app.get(address, token)).json()) as { data: unknown[] }).data

test('a practice project goes from its button to a real merge, an alert, its suspect and the revert, and away', async () => {
  const { owner, token, person } = await aPlace()
  await setRunnerApproval(person, true)
  assert.equal(await projectOf(owner), null)
  assert.equal((await owner.write('practice.start', {})).status, 200)
  assert.equal((await owner.write('practice.start', {})).status, 409, 'one at a time')
  assert.equal((await owner.write('practice.alert', {})).status, 409, 'nothing is merged yet')
  const plan = await reach(owner, 'plan')
  assert.equal(plan.decision!.kind, 'plan_approval')
  assert.equal((await answer(token, plan)).resolution?.optionId, 'approve')
  await startAgain()
  const merge = await reach(owner, 'merge')
  const run = (await (await app.get(`/v1/runs/${merge.run!.key}`, token)).json()) as {
    executor: string
    evidence: { criteria: { result: string }[]; gates: { result: string }[] }
  }
  assert.equal(run.executor, 'scripted')
  assert.deepEqual(
    run.evidence.criteria.map(({ result }) => result),
    ['passed', 'passed'],
  )
  await answer(token, merge)
  await reach(owner, 'alert')
  assert.equal((await owner.write('practice.alert', {})).status, 200)
  const revert = await reach(owner, 'revert')
  const { title, body } = await answer(token, revert)
  assert.match(`${title}\n${body}`, /src\/receipt\.js/)
  assert.match(body, /of practice-shop/)
  assert.match(body, new RegExp(`Pull request #1: <[^>]+/runs/${merge.run!.key}\\?tab=changes>`))
  const { incident } = await reach(owner, 'done')
  const spend = async () => await (await owner.read('insights.spend', { range: '30' })).text()
  assert.match(await spend(), /"practice"/)

  const before = (await listed(token, '/v1/audit?limit=100')) as AuditEntry[]
  assert.ok(before.some(({ event }) => event === 'pull_request_merged'))
  assert.ok(before.some(({ event }) => event === 'signal_received'))
  assert.equal((await owner.write('practice.remove', {})).status, 200)
  assert.equal(await projectOf(owner), null)
  await until('its folder is gone', async () => (await readdir(path.join(dataDir, 'practice'))).length === 0)
  for (const address of ['/v1/teams', '/v1/runs', '/v1/decisions'])
    assert.deepEqual(await listed(token, address), [], address)
  for (const read of [
    'runs.list',
    'decisions.list',
    'incidents.list',
    'services.list',
    'sources.list',
    'runners.list',
    'runners.removed',
  ]) {
    const answered = (await (await owner.read(read as 'runs.list')).json()) as { data: unknown[] } | unknown[]
    assert.deepEqual(Array.isArray(answered) ? answered : answered.data, [], read)
  }
  assert.doesNotMatch(await spend(), /"practice"/, 'the chart of what was spent')
  assert.doesNotMatch(await (await owner.read('tokens.list')).text(), /Practice runner/, 'tokens')
  const investigated = await (await owner.read('incidents.read', { incident: incident!.key })).text()
  assert.match(investigated, /practice-shop/)
  assert.ok(!investigated.includes(dataDir), 'an investigation names the repository, not its folder')
  const kept = (await listed(token, '/v1/audit?limit=100')) as AuditEntry[]
  for (const entry of kept.filter(({ event }) => event.startsWith('token_')))
    if (entry.entity?.name === 'Practice runner') assert.equal(entry.actor.type, 'service', entry.event)
  for (const event of ['team_deleted', 'service_changed', 'signal_source_changed', 'token_revoked'])
    assert.ok(
      kept.some((entry) => entry.event === event),
      `the audit log keeps ${event}`,
    )
  assert.equal(
    (await app.get(`/v1/runs/${merge.run!.key}`, token)).status,
    200,
    'what the log names can be opened',
  )
  assert.equal((await owner.write('practice.start', {})).status, 200, 'another one can be started')
  const middle = await reach(owner, 'plan')
  const removals = await Promise.all(Array.from({ length: 3 }, () => owner.write('practice.remove', {})))
  for (const { status } of removals) assert.ok(status === 200 || status === 404, `removed at once: ${status}`)
  assert.equal(await projectOf(owner), null, 'and removed in the middle, by several at once')
  const stopped = (await (await app.get(`/v1/runs/${middle.run!.key}`, token)).json()) as { status: string }
  assert.equal(stopped.status, 'stopped')
  await until(
    'the runner has ended and its folder is gone',
    async () => (await readdir(path.join(dataDir, 'practice'))).length === 0,
  )
  const { data: runners } = (await (await owner.read('runners.list')).json()) as { data: unknown[] }
  assert.deepEqual(runners, [])
  const tokens = (await (await owner.read('tokens.list')).json()) as { data: { name: string }[] }
  // One that lives would be listed.
  assert.deepEqual(
    tokens.data.filter(({ name }) => name === 'Practice runner'),
    [],
    'no living token of it is left',
  )
})

test('members can’t start one, and only an owner removes it', async () => {
  const { owner, of } = await aPlace()
  const [member, admin] = [await of('member'), await of('admin')]
  assert.equal((await member.write('practice.start', {})).status, 403)
  assert.equal((await admin.write('practice.start', {})).status, 200)
  assert.equal((await admin.write('practice.remove', {})).status, 403)
  // As it is after a removal that failed, or where a person has begun to tidy up.
  const { data } = (await (await owner.read('sources.list')).json()) as { data: { id: string }[] }
  assert.equal((await owner.write('sources.delete', { source: data[0]!.id })).status, 200)
  assert.equal((await owner.write('practice.remove', {})).status, 200)
  assert.equal(await projectOf(owner), null)
})
