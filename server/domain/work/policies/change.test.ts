import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { listAudit } from '../../record/audit/list.ts'
import { readTeam } from '../teams/read.ts'
import { changePolicy } from './change.ts'
import { presets } from './presets.ts'
import { previewPolicy } from './preview.ts'
import { readPolicy } from './read.ts'

const database = await testDatabase()
after(() => database.close())

async function anAdminWithATeam() {
  const admin = await aMember(await aWorkspace(database.db), 'admin')
  return { admin, slug: (await aTeam(admin)).slug }
}

test('a team without a policy gets its first version from a preset', async () => {
  const { admin, slug } = await anAdminWithATeam()
  assert.equal(fromJson(await readTeam(admin, slug)).policy, null)
  await changePolicy(admin, slug, { preset: 'supervised' })
  const { policy } = fromJson(await readTeam(admin, slug))
  assert.equal(policy?.preset, 'supervised')
  assert.equal(policy?.custom, false)
  assert.equal(policy?.version, 1)
  assert.deepEqual(policy?.budgets, presets.supervised.budgets)
})

test('a single setting that departs from the preset makes it custom; taking it back does not', async () => {
  const { admin, slug } = await anAdminWithATeam()
  await changePolicy(admin, slug, { preset: 'balanced', departures: { maxConcurrency: 4 } })
  assert.equal(fromJson(await readTeam(admin, slug)).policy?.custom, true)
  await changePolicy(admin, slug, { preset: 'balanced', departures: { maxConcurrency: 3 } })
  const { policy } = fromJson(await readTeam(admin, slug))
  assert.deepEqual([policy?.custom, policy?.version], [false, 2])
})

test('a run’s budget is not more than that of its day or its month', async () => {
  const { admin, slug } = await anAdminWithATeam()
  const budgets = (runCents: number, dayCents: number | null, monthCents: number | null) => ({
    preset: 'balanced' as const,
    departures: { budgets: { runCents, dayCents, monthCents } },
  })
  await assert.rejects(changePolicy(admin, slug, budgets(500, 499, null)), {
    message: /budgets\.runCents is more than budgets\.dayCents: no run could use it/,
  })
  await assert.rejects(changePolicy(admin, slug, budgets(500, null, 499)), { message: /budgets\.monthCents/ })
  await changePolicy(admin, slug, budgets(500, 500, 500))
})

test('labels of runners make a policy custom', async () => {
  const { admin, slug } = await anAdminWithATeam()
  await changePolicy(admin, slug, { preset: 'balanced', departures: { runnerLabels: ['gpu'] } })
  assert.equal(fromJson(await readTeam(admin, slug)).policy?.custom, true)
  await changePolicy(admin, slug, { preset: 'balanced', departures: { runnerLabels: [] } })
  assert.equal(fromJson(await readTeam(admin, slug)).policy?.custom, false)
})

test('a preset names no coding agent: the team keeps its own, and another than the first, or labels, make it custom', async () => {
  const { admin, slug } = await anAdminWithATeam()
  for (const [name, preset] of Object.entries(presets)) assert.ok(!('executor' in preset), name)
  await changePolicy(admin, slug, { preset: 'balanced' })
  assert.equal(fromJson(await readTeam(admin, slug)).policy?.executor, 'claude_code')
  await changePolicy(admin, slug, { preset: 'balanced', departures: { executor: 'codex' } })
  const chosen = fromJson(await readTeam(admin, slug)).policy
  assert.deepEqual([chosen?.executor, chosen?.custom], ['codex', true])
  await changePolicy(admin, slug, { preset: 'supervised' })
  const kept = fromJson(await readTeam(admin, slug)).policy
  assert.deepEqual([kept?.executor, kept?.custom, kept?.preset], ['codex', true, 'supervised'])
})

test('the entry has the person, the version, and before and after of what changed', async () => {
  const { admin, slug } = await anAdminWithATeam()
  await changePolicy(admin, slug, { preset: 'supervised' })
  await changePolicy(admin, slug, {
    preset: 'supervised',
    departures: { mergePolicy: 'manual' },
    reason: 'audit',
  })
  const [entry] = (await listAudit(admin, { event: 'policy_changed' }, { limit: 1, after: null })).data.map(
    fromJson,
  )
  assert.equal(entry?.actor.userId, admin.personId)
  assert.equal(entry?.team, slug)
  assert.deepEqual(entry?.details.changes, [{ field: 'mergePolicy', before: 'ask', after: 'manual' }])
  assert.equal(entry?.details.version, 2)
  assert.equal(entry?.details.reason, 'audit')
})

test('the acceptance spec folder is always a denied path, whatever the list says', async () => {
  const { admin, slug } = await anAdminWithATeam()
  const { deniedPaths } = await changePolicy(admin, slug, {
    preset: 'trial',
    departures: { deniedPaths: ['infra/**'] },
  })
  assert.deepEqual(deniedPaths, ['.kanman/acceptance/**', 'infra/**'])
})

test('the acceptance spec requirement can be turned off only on the Trial preset', async () => {
  const { admin, slug } = await anAdminWithATeam()
  for (const preset of ['supervised', 'balanced', 'autonomous'] as const) {
    await assert.rejects(changePolicy(admin, slug, { preset, departures: { acceptanceRequired: false } }), {
      code: 'invalid_request',
    })
  }
  await changePolicy(admin, slug, { preset: 'trial', departures: { acceptanceRequired: false } })
})

test('no preset lets a model provider reach the network; a team that does departs from it, and the entry says so', async () => {
  const { admin, slug } = await anAdminWithATeam()
  for (const preset of Object.values(presets)) assert.deepEqual(preset.modelTools, [])
  const first = await changePolicy(admin, slug, { preset: 'supervised' })
  assert.deepEqual(first.modelTools, [])
  const opened = await changePolicy(admin, slug, {
    preset: 'supervised',
    departures: { modelTools: ['web_search', 'remote_files', 'web_search'] },
  })
  assert.deepEqual([opened.modelTools, opened.custom], [['remote_files', 'web_search'], true])
  const [entry] = (await listAudit(admin, { event: 'policy_changed' }, { limit: 1, after: null })).data.map(
    fromJson,
  )
  assert.deepEqual(entry?.details.changes, [
    { field: 'modelTools', before: [], after: ['remote_files', 'web_search'] },
  ])
  // Left out, as by an older page of the app, it is closed again.
  const { modelTools } = await changePolicy(admin, slug, { preset: 'supervised' })
  assert.deepEqual(modelTools, [])
})

test('a policy that is in force already is no change', async () => {
  const { admin, slug } = await anAdminWithATeam()
  await changePolicy(admin, slug, { preset: 'balanced' })
  await assert.rejects(changePolicy(admin, slug, { preset: 'balanced' }), { code: 'conflict' })
})

test('settings that cannot be are refused, each by its name', async () => {
  const { admin, slug } = await anAdminWithATeam()
  const wrong: [object, RegExp][] = [
    [{ maxConcurrency: 0 }, /maxConcurrency/],
    [{ executor: 'abacus' }, /executor/],
    [{ planApproval: 'sometimes' }, /planApproval/],
    [{ mergePolicy: 'whenever' }, /mergePolicy/],
    [{ budgets: { runCents: 1.5, dayCents: null, monthCents: null } }, /budgets\.runCents/],
    [{ gateFailureBudget: -1 }, /gateFailureBudget/],
    [{ modelTools: ['code_execution'] }, /modelTools can have web_search/],
    [{ personAnswers: ['lunch'] }, /personAnswers can have plan, merge, exception/],
    [{ secondReview: { by: 'abacus', model: null, holdsMerge: false } }, /secondReview\.by must be off/],
    [{ secondReview: { by: 'codex', model: ' ', holdsMerge: false } }, /secondReview\.model/],
    [{ secondReview: { by: 'off', model: null, holdsMerge: true } }, /secondReview\.by is off/],
  ]
  for (const [departures, named] of wrong) {
    await assert.rejects(changePolicy(admin, slug, { preset: 'balanced', departures }), named)
  }
  await assert.rejects(
    changePolicy(admin, slug, { preset: 'reckless' as never }),
    /preset must be one of trial/,
  )
})

test('two changes at once become two versions', async () => {
  const { admin, slug } = await anAdminWithATeam()
  const both = await Promise.all([
    changePolicy(admin, slug, { preset: 'balanced' }),
    changePolicy(admin, slug, { preset: 'autonomous' }),
  ])
  assert.deepEqual(both.map(({ version }) => version).sort(), [1, 2])
})

test('members read a policy, but only owners and admins change it', async () => {
  const workspace = await aWorkspace(database.db)
  const member = await aMember(workspace, 'member')
  const { slug } = await aTeam(workspace)
  await assert.rejects(changePolicy(member, slug, { preset: 'trial' }), { code: 'insufficient_role' })
  assert.equal(fromJson(await readTeam(member, slug)).policy, null)
})

test('every preset asks about every finding, and what a team lets pass is kept, told and refused like other settings', async () => {
  for (const [name, preset] of Object.entries(presets)) assert.deepEqual(preset.allowedFindings, [], name)
  const { admin, slug } = await anAdminWithATeam()
  const first = await changePolicy(admin, slug, { preset: 'autonomous' })
  assert.deepEqual(first.allowedFindings, [])
  const changed = await changePolicy(admin, slug, {
    preset: 'autonomous',
    departures: { allowedFindings: ['binary', 'ci', 'binary'] },
  })
  assert.deepEqual([changed.allowedFindings, changed.custom], [['ci', 'binary'], true])
  assert.deepEqual((await readPolicy(admin, slug))?.allowedFindings, ['ci', 'binary'])
  const [second, only] = (
    await listAudit(admin, { event: 'policy_changed' }, { limit: 2, after: null })
  ).data.map(fromJson)
  const changesOf = (entry: typeof second) =>
    (entry!.details as { changes: { field: string }[] }).changes.filter(
      ({ field }) => field === 'allowedFindings',
    )
  assert.deepEqual(changesOf(second), [{ field: 'allowedFindings', before: [], after: ['ci', 'binary'] }])
  assert.deepEqual(changesOf(only), [], 'that a first policy lets nothing pass is nothing to tell')
  const { changes } = await previewPolicy(admin, slug, { preset: 'autonomous' })
  assert.deepEqual(changes, [{ field: 'allowedFindings', before: ['ci', 'binary'], after: [] }])
  await assert.rejects(
    changePolicy(admin, slug, { preset: 'trial', departures: { allowedFindings: ['all' as 'ci'] } }),
    { code: 'invalid_request', message: /allowedFindings has all, and must have some of ci, hooks/ },
  )
})
