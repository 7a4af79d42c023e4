import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type {
  DecisionCount,
  DecisionPage,
  DecisionRow,
  Precedents,
} from '@signalbox/contract/app/decisions.ts'
import type { ResolvedDecision } from '@signalbox/contract/decision.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { resolveDecision } from '../../../domain/engine/answers/resolve.ts'
import { housekeeping } from '../../../domain/record/audit/change.ts'
import { listAudit } from '../../../domain/record/audit/list.ts'
import { json } from '../../../test/answers.ts'
import { testApp } from '../../../test/app.ts'
import { aDecision, aMember, aRun, aStory, aTeam, aWorkspace } from '../../../test/factories.ts'
import { signedIn } from '../../../test/signed-in.ts'
import { tables } from '../../../test/tables.ts'

type Failed = { error: { code: string; message: string } }
type Listed = { data: DecisionRow[]; nextCursor: string | null }

describe('decisions in the app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  /** A workspace with a team, and a browser in which a person of that role is signed in. */
  async function begin(role: Role = 'member') {
    const workspace = await aWorkspace(app.storage.db)
    const member = { ...(await aMember(workspace, role)), slug: workspace.slug }
    const team = await aTeam(member)
    return { workspace, member, team, browser: await signedIn(app, member) }
  }

  /** A run whose plan waits to be approved. */
  async function aQuestion(of: Awaited<ReturnType<typeof begin>>, authority: Role = 'member') {
    const story = await aStory(of.workspace, of.team)
    const run = await aRun(of.workspace, of.team, story)
    const { key } = await aDecision(of.workspace, of.team, { storyId: story.id, run, authority })
    return { key, story, run }
  }

  const expire = (key: string, workspaceId: string, at: Date | null) =>
    housekeeping(app.storage.db, 'an expiry for a test', (tx) =>
      tables(tx)
        .updateTable('decisions')
        .set({ expires_at: at })
        .where('workspace_id', '=', workspaceId)
        .where('key', '=', key)
        .execute(),
    )

  test('pending ones stand by expiry, then age, over all pages; others newest first', async () => {
    const here = await begin()
    const keys: string[] = []
    for (let n = 0; n < 6; n += 1) keys.push((await aDecision(here.workspace, here.team)).key)
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)
    const { workspaceId } = here.workspace
    await expire(keys[1]!, workspaceId, inHours(5))
    await expire(keys[4]!, workspaceId, inHours(2))
    const same = inHours(9)
    await expire(keys[3]!, workspaceId, same)
    await expire(keys[5]!, workspaceId, same)
    const expected = [4, 1, 3, 5, 0, 2].map((n) => keys[n])

    const found: string[] = []
    let cursor: string | null = null
    do {
      const input: Record<string, string> = { status: 'pending', limit: '2', ...(cursor ? { cursor } : {}) }
      const page: Listed = await json(await here.browser.read('decisions.list', input))
      found.push(...page.data.map(({ key }) => key))
      cursor = page.nextCursor
    } while (cursor)
    assert.deepEqual(found, expected)

    const all: Listed = await json(await here.browser.read('decisions.list'))
    assert.deepEqual(
      all.data.map(({ key }) => key),
      keys.toReversed(),
    )
  })

  test('what waits is read whole, beyond the size of other pages', async () => {
    const here = await begin()
    for (let n = 0; n < 102; n += 1) await aDecision(here.workspace, here.team)
    const all: Listed = await json(
      await here.browser.read('decisions.list', { status: 'pending', limit: '9999' }),
    )
    assert.equal(all.data.length, 102)
    assert.equal(all.nextCursor, null)
    const some: Listed = await json(await here.browser.read('decisions.list', { status: 'pending' }))
    assert.equal(some.data.length, 25)
    assert.notEqual(some.nextCursor, null)
  })

  test('a page that ended at a decision answered since goes on where it ended', async () => {
    const here = await begin()
    const first = await aQuestion(here)
    const second = await aQuestion(here)
    const page: Listed = await json(
      await here.browser.read('decisions.list', { status: 'pending', limit: '1' }),
    )
    assert.equal(page.data[0]?.key, first.key)
    await resolveDecision(here.member, { key: first.key, optionId: 'approve' })
    const next: Listed = await json(
      await here.browser.read('decisions.list', { status: 'pending', limit: '1', cursor: page.nextCursor! }),
    )
    assert.deepEqual(
      next.data.map(({ key }) => key),
      [second.key],
    )
  })

  test('the list is filtered by status, team and kind, and leaves text and options to the page of a decision', async () => {
    const here = await begin()
    const { key, run } = await aQuestion(here)
    const other = await aTeam(here.workspace)
    const elsewhere = await aDecision(here.workspace, other)
    const listed = async (input: Record<string, string>) =>
      (await json<Listed>(await here.browser.read('decisions.list', input))).data

    const [row, ...more] = await listed({ status: 'pending', team: here.team.slug, kind: 'plan_approval' })
    assert.equal(more.length, 0)
    assert.equal(row?.key, key)
    assert.equal(row?.runKey, run.key)
    const { decision } = await json<DecisionPage>(await here.browser.read('decisions.read', { key }))
    const { body, options, recommendation, ...rest } = decision
    assert.deepEqual([body, options.length, recommendation], ['Because.', 2, 'approve'])
    assert.deepEqual(row, rest)
    assert.deepEqual(row?.run, { costCents: 0, budgetCents: 500 })
    assert.equal(row?.resolvedBy, null)
    assert.equal(row?.incident, null)
    assert.deepEqual(
      (await listed({ team: other.slug })).map((found) => found.key),
      [elsewhere.key],
    )
    assert.deepEqual(await listed({ kind: 'budget_stop' }), [])
    assert.deepEqual(await listed({ status: 'resolved' }), [])
    const missing = await json<Failed>(await here.browser.read('decisions.list', { team: 'nobody' }), 404)
    assert.equal(missing.error.code, 'team_not_found')
    await json(await here.browser.read('decisions.list', { kind: 'none' }), 400)
  })

  test('the count is of what waits, by team and kind', async () => {
    const here = await begin()
    const { key } = await aQuestion(here)
    await aQuestion(here)
    const quiet = await aTeam(here.workspace)
    await resolveDecision(here.member, { key, optionId: 'approve' })
    const count = await json<DecisionCount>(await here.browser.read('decisions.count'))
    assert.equal(count.pending, 1)
    assert.deepEqual(count.kinds, [{ kind: 'plan_approval', pending: 1 }])
    assert.deepEqual(
      count.teams.map(({ slug, pending }) => [slug, pending]).toSorted(),
      [
        [here.team.slug, 1],
        [quiet.slug, 0],
      ].toSorted(),
    )
  })

  test('a decision is read with what its options do, its run and the run’s other decisions', async () => {
    const here = await begin()
    const { key, story, run } = await aQuestion(here)
    const earlier = await aDecision(here.workspace, here.team, { storyId: story.id, run })
    const full = await json<DecisionPage>(await here.browser.read('decisions.read', { key }))
    assert.equal(full.decision.key, key)
    assert.equal(full.decision.body, 'Because.')
    assert.equal(full.forbidden, null)
    assert.deepEqual(full.consequences, [
      { optionId: 'approve', sentence: `The plan is approved, and implementation of ${story.key} starts.` },
      {
        optionId: 'changes',
        sentence: 'The run plans again with your note as input. Add a note to say what to change.',
      },
    ])
    assert.deepEqual(full.criteria, [])
    assert.deepEqual(full.run, {
      key: run.key,
      status: 'waiting',
      stage: 'planning',
      executor: 'scripted',
      attempts: 1,
      costCents: 0,
      budgetCents: 500,
      pullRequest: null,
    })
    assert.deepEqual(
      full.others.map((other) => [other.key, other.kind, other.status, other.answer]),
      [[earlier.key, 'plan_approval', 'pending', null]],
    )
    assert.deepEqual(full.effects, [])
  })

  test('a decision shows how similar ones were answered before in its team, and what came of it', async () => {
    const here = await begin()
    const first = await aQuestion(here)
    await resolveDecision(here.member, { key: first.key, optionId: 'changes', note: 'Smaller steps.' })
    const second = await aQuestion(here)
    await resolveDecision(here.member, { key: second.key, optionId: 'approve' })
    const { key } = await aQuestion(here)
    const elsewhere = await aQuestion({ ...here, team: await aTeam(here.workspace) })
    await resolveDecision(here.member, { key: elsewhere.key, optionId: 'approve' })

    const found = await json<Precedents>(await here.browser.read('decisions.precedents', { key }))
    assert.equal(found.similar, 2, 'those of another team are not precedents')
    assert.deepEqual(
      found.answers.map(({ count }) => count),
      [1, 1],
    )
    const one = found.closest.find((precedent) => precedent.key === first.key)!
    assert.deepEqual(
      [one.optionId, one.note, one.outcome, one.commonPaths],
      ['changes', 'Smaller steps.', 'open', []],
    )
    assert.ok(one.answeredBy)
    const before = await json<Precedents>(await here.browser.read('decisions.precedents', { key: first.key }))
    assert.deepEqual(before, { similar: 0, answers: [], closest: [] }, 'what came later is none')
    await json(await here.browser.read('decisions.precedents', { key: 'dec-0000' }), 404)
  })

  test('an answer takes effect, is in the log with the person and the app, and is shown with its steps', async () => {
    const here = await begin()
    const { key, run } = await aQuestion(here)
    const resolved = await json<ResolvedDecision>(
      await here.browser.write('decisions.resolve', { key, optionId: 'approve', note: 'Go.' }),
    )
    assert.equal(resolved.status, 'resolved')
    assert.equal(resolved.resolvedVia, 'app')
    assert.equal(resolved.effects[0]?.type, 'implementation_started')

    const owner = await aMember(here.workspace, 'owner')
    const log = await listAudit(owner, { event: 'decision_resolved' }, { limit: 10, after: null })
    const [entry, ...others] = log.data.map(fromJson)
    assert.equal(others.length, 0)
    assert.equal(entry?.actor.userId, here.member.personId)
    assert.equal(entry?.entity.id, key)
    assert.equal(entry?.details.channel, 'app')

    const full = await json<DecisionPage>(await here.browser.read('decisions.read', { key }))
    assert.equal(full.decision.resolvedBy, here.member.actor.name)
    assert.deepEqual(full.decision.resolution, { optionId: 'approve', note: 'Go.' })
    assert.deepEqual(full.effects, [
      { type: 'implementation_started', status: 'queued', target: { type: 'run', id: run.key } },
    ])
    const { data } = await json<Listed>(await here.browser.read('decisions.list', { status: 'resolved' }))
    assert.equal(data[0]?.resolvedBy, here.member.actor.name)
  })

  test('the second answer gets 409 and finds who was first', async () => {
    const here = await begin()
    const { key } = await aQuestion(here)
    const ada = { ...(await aMember(here.workspace, 'admin')), channel: 'slack' } as const
    await resolveDecision(ada, { key, optionId: 'changes' })
    const late = await json<Failed>(
      await here.browser.write('decisions.resolve', { key, optionId: 'approve', note: 'Mine.' }),
      409,
    )
    assert.equal(late.error.code, 'decision_already_resolved')
    const { decision } = await json<DecisionPage>(await here.browser.read('decisions.read', { key }))
    assert.equal(decision.resolvedBy, ada.actor.name)
    assert.equal(decision.resolvedVia, 'slack')
    assert.equal(decision.resolution?.optionId, 'changes')
  })

  for (const { role, authority, may } of [
    { role: 'member', authority: 'member', may: true },
    { role: 'member', authority: 'admin', may: false },
    { role: 'admin', authority: 'admin', may: true },
    { role: 'admin', authority: 'owner', may: false },
    { role: 'owner', authority: 'owner', may: true },
  ] as const) {
    test(`what asks for ${authority} ${may ? 'is answered' : 'is not answered'} by ${role}`, async () => {
      const here = await begin(role)
      const { key } = await aQuestion(here, authority)
      const full = await json<DecisionPage>(await here.browser.read('decisions.read', { key }))
      const response = await here.browser.write('decisions.resolve', { key, optionId: 'approve' })
      if (may) {
        assert.equal(full.forbidden, null)
        await json(response)
      } else {
        const { error } = await json<Failed>(response, 403)
        assert.equal(error.code, 'insufficient_role')
        assert.equal(full.forbidden, error.message, 'said beforehand in the same words')
      }
    })
  }

  test('a decision of another workspace answers byte for byte like a missing one', async () => {
    const here = await begin()
    const there = await begin()
    const { key } = await aQuestion(there)
    const bytes = async (response: Response, asked: string) => {
      assert.equal(response.status, 404)
      return (await response.text()).replaceAll(asked, 'KEY')
    }
    assert.equal(
      await bytes(await here.browser.read('decisions.read', { key }), key),
      await bytes(await here.browser.read('decisions.read', { key: 'dec-0000' }), 'dec-0000'),
    )
    assert.equal(
      await bytes(await here.browser.write('decisions.resolve', { key, optionId: 'approve' }), key),
      await bytes(
        await here.browser.write('decisions.resolve', { key: 'dec-0000', optionId: 'approve' }),
        'dec-0000',
      ),
    )
    const full = await json<DecisionPage>(await there.browser.read('decisions.read', { key }))
    assert.equal(full.decision.status, 'pending')
  })

  test('an option it does not have, a field no one knows and a note too long are refused', async () => {
    const here = await begin()
    const { key } = await aQuestion(here)
    const refused = async (input: object) =>
      (await json<Failed>(await here.browser.write('decisions.resolve', input), 400)).error.code
    assert.equal(await refused({ key, optionId: 'merge' }), 'invalid_option')
    assert.equal(await refused({ key, optionId: 'approve', force: true }), 'invalid_request')
    assert.equal(await refused({ key, optionId: 'approve', note: 'x'.repeat(4_001) }), 'invalid_request')
    assert.equal(await refused({ key }), 'invalid_request')
  })
})
