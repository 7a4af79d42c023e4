import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Decision } from '@signalbox/contract/decision.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { newId } from '../../../infra/ids.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { aMember, aPolicy, aStory, aTeam } from '../../../test/factories.ts'
import { tables } from '../../../test/tables.ts'
import { readUnread } from '../../accounts/notifications/read-unread.ts'
import { choose } from '../../accounts/notifications/settings.ts'
import type { Context } from '../../context.ts'
import { nextKey } from '../../keys.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { listAudit } from '../../record/audit/list.ts'
import { listDecisions } from '../../work/decisions/list.ts'
import { changePolicy } from '../../work/policies/change.ts'
import { readPolicy } from '../../work/policies/read.ts'
import { resolveDecision } from '../answers/resolve.ts'
import { acceptSuggestion } from './accept.ts'
import { declineSuggestion } from './decline.ts'
import { listSuggestions } from './list.ts'
import { notifyOfSuggestions } from './notify-due.ts'
import { readSuggestion } from './read.ts'

const database = await testDatabase()
after(() => database.close())

const days = 86_400_000
const firstPage = { limit: 100, after: null }
const limited = {
  planApproval: 'never',
  mergePolicy: 'auto_within_limits',
  autoMergeMaxLines: 40,
  budgets: { runCents: null, dayCents: null, monthCents: null },
} as const

/** A team whose policy asks about changes above 40 lines, and a person who answers. */
class Merging {
  readonly engine: TestEngine
  readonly admin: Context & { personId: string }
  readonly member: Context & { personId: string }
  readonly team: Awaited<ReturnType<typeof aTeam>>

  private constructor(of: Pick<Merging, 'engine' | 'admin' | 'member' | 'team'>) {
    this.engine = of.engine
    this.admin = of.admin
    this.member = of.member
    this.team = of.team
  }

  static async begin(departures = {}): Promise<Merging> {
    const engine = new TestEngine(database.db)
    const owner = await engine.workspace()
    const [admin, member, team] = [
      await aMember(owner, 'admin'),
      await aMember(owner, 'member'),
      await aTeam(owner),
    ]
    await aPolicy(owner, team, 'balanced', { ...limited, ...departures })
    return new Merging({ engine, admin, member, team })
  }

  /** A run that asks whether to merge a change of so many lines, and the answer to it. */
  async ask(lines: number, optionId = 'merge', as: Context = this.member): Promise<Decision> {
    const { engine, team, admin } = this
    await aStory(admin, team)
    await engine.sweep()
    await engine.settle()
    const order = engine.orders.at(-1)!
    const change = { ...goesWell.change.change, additions: lines - 2 }
    const evidence = { ...goesWell.gates.evidence, changes: change }
    for (const event of [
      goesWell.plan,
      { ...goesWell.change, change },
      { ...goesWell.gates, evidence },
      goesWell.finish,
    ]) {
      await engine.report(engine.orderOf(order.run), event)
      await engine.settle()
    }
    const [asked] = (await listDecisions(admin, { status: 'pending', run: order.run }, firstPage)).data
    const { key } = fromJson(asked!)
    const resolved = fromJson(await resolveDecision(as, { key, optionId }))
    await engine.settle()
    return resolved
  }

  /** So many approved merges, each a line larger than the one before: the first by the engine, the others like it. */
  async approve(count: number, lines: number, as?: Context): Promise<void> {
    const { key } = await this.ask(lines, 'merge', as)
    const { workspaceId, clock } = this.admin
    for (let more = 1; more < count; more++)
      await housekeeping(database.db, 'an approved merge of a test', async (tx) => {
        const [runId, decisionId] = [newId(clock.now()), newId(clock.now())]
        const [run, decision] = [await nextKey(tx, workspaceId, 'run'), await nextKey(tx, workspaceId, 'dec')]
        const change = { files: 1, additions: lines + more - 2, deletions: 2, paths: ['src/a.ts'] }
        const ofRun = { id: runId, key: run }
        await sql`
          insert into runs select (jsonb_populate_record(r, ${JSON.stringify(ofRun)}::jsonb
            || jsonb_build_object('memory', r.memory || jsonb_build_object('change', ${JSON.stringify(change)}::jsonb)))).*
          from runs r join decisions d on d.run_id = r.id where d.workspace_id = ${workspaceId} and d.key = ${key}
        `.execute(tables(tx))
        await sql`
          insert into attempts select (jsonb_populate_record(a, ${JSON.stringify({ run_id: runId })}::jsonb)).*
          from attempts a join decisions d on d.run_id = a.run_id
          where d.workspace_id = ${workspaceId} and d.key = ${key}
        `.execute(tables(tx))
        const ofDecision = { id: decisionId, key: decision, run_id: runId }
        await sql`
          insert into decisions select (jsonb_populate_record(d, ${JSON.stringify(ofDecision)}::jsonb
            || jsonb_build_object('facts', d.facts || jsonb_build_object('lines', ${lines + more}::int)))).*
          from decisions d where d.workspace_id = ${workspaceId} and d.key = ${key}
        `.execute(tables(tx))
      })
  }

  later(count: number): void {
    this.engine.clock.forward(count * days)
  }

  async suggested() {
    const [found, ...others] = await listSuggestions(this.admin)
    assert.equal(others.length, 0)
    return found ?? null
  }

  /** The newest entries of an event. */
  async audit(event: 'policy_changed' | 'policy_suggestion_declined') {
    return (await listAudit(this.admin, { event }, firstPage)).data.map(fromJson)
  }
}

test('a limit that people’s approvals speak for is suggested with its rehearsal, and becomes the policy only when an admin accepts it', async () => {
  const merging = await Merging.begin()
  const { admin, member, team } = merging
  await merging.approve(10, 80)
  assert.equal(await merging.suggested(), null, 'what was merged today may still break something')
  merging.later(7)
  const suggestion = (await merging.suggested())!
  assert.deepEqual(
    [suggestion.team, suggestion.basedOn, suggestion.asksAlways, suggestion.limit, suggestion.maxLines],
    [team.slug, 1, false, 40, 80],
  )
  assert.deepEqual(
    suggestion.merges.map(({ lines }) => lines),
    [89, 88, 87, 86, 85, 84, 83, 82, 81, 80],
  )
  const { rehearsal } = (await readSuggestion(admin, team.slug))!
  assert.deepEqual([rehearsal.runs, rehearsal.changed.length], [10, 1])
  assert.deepEqual(rehearsal.changed[0]!.differences, [{ effect: 'merge_approval', more: false, paths: [] }])

  assert.equal((await readPolicy(admin, team.slug))?.version, 1, 'looking at it changes nothing')
  const answer = { team: team.slug, basedOn: 1, maxLines: 80 }
  for (const refused of [acceptSuggestion, declineSuggestion])
    await assert.rejects(refused(member, answer), { code: 'insufficient_role' })
  await assert.rejects(readSuggestion(member, team.slug), { code: 'insufficient_role' })
  await assert.rejects(listSuggestions(member), { code: 'insufficient_role' })
  for (const other of [
    { ...answer, maxLines: 81 },
    { ...answer, basedOn: 2 },
  ])
    await assert.rejects(acceptSuggestion(admin, other), { code: 'changed_meanwhile' })
  const elsewhere = await aMember(await merging.engine.workspace(), 'admin')
  await assert.rejects(acceptSuggestion(elsewhere, answer), { code: 'team_not_found' })
  assert.equal((await readPolicy(admin, team.slug))?.version, 1)

  const accepted = await acceptSuggestion(admin, answer)
  assert.deepEqual(
    [accepted.version, accepted.mergePolicy, accepted.autoMergeMaxLines, accepted.planApproval],
    [2, 'auto_within_limits', 80, 'never'],
  )
  const [entry] = await merging.audit('policy_changed')
  assert.equal(entry!.actor.name, 'A admin')
  const { channel: _, origin: __, ...details } = entry!.details
  assert.deepEqual(details, {
    version: 2,
    changes: [{ field: 'autoMergeMaxLines', before: 40, after: 80 }],
    reason: 'Suggested because 10 merges were approved unchanged',
    suggestion: { maxLines: 80, decisions: suggestion.merges.map(({ decision }) => decision) },
  })
  await assert.rejects(acceptSuggestion(admin, answer), { code: 'changed_meanwhile' })
  assert.equal(await merging.suggested(), null, 'they were asked under another limit')
})

test('a declined suggestion is in the log, and comes again once as many more merges were approved', async () => {
  const merging = await Merging.begin({ mergePolicy: 'ask', autoMergeMaxLines: null })
  const { admin, team } = merging
  await merging.approve(10, 20)
  merging.later(7)
  const suggestion = (await merging.suggested())!
  assert.deepEqual([suggestion.asksAlways, suggestion.limit, suggestion.maxLines], [true, 0, 20])
  const answer = { team: team.slug, basedOn: 1, maxLines: 20, reason: 'Not before the release' }
  await declineSuggestion(admin, answer)
  const [entry] = await merging.audit('policy_suggestion_declined')
  assert.deepEqual(
    [entry!.actor.name, entry!.entity.id, entry!.details.reason, entry!.details.version],
    ['A admin', team.slug, 'Not before the release', 1],
  )
  assert.equal((await readPolicy(admin, team.slug))?.version, 1)
  merging.later(1)
  await merging.approve(9, 30)
  merging.later(7)
  assert.equal(await merging.suggested(), null)
  await merging.ask(29)
  merging.later(7)
  const again = (await merging.suggested())!
  assert.deepEqual([again.maxLines, again.merges.length], [29, 10])
  const accepted = await acceptSuggestion(admin, { team: team.slug, basedOn: 1, maxLines: 29 })
  assert.deepEqual([accepted.mergePolicy, accepted.autoMergeMaxLines], ['auto_within_limits', 29])
})

test('owners and admins are notified of a suggestion once, as they have chosen; an answer marks it as read for all, and after one the next is told again', async () => {
  const merging = await Merging.begin()
  const { admin, member, team, engine } = merging
  const owner = await aMember(admin, 'owner')
  await choose({ ...engine, db: database.db }, owner.personId, 'suggestion', {
    ...{ inApp: false, byMail: true, byPush: false },
  })
  await merging.approve(10, 80)
  const services = { db: database.db, clock: engine.clock, queue: engine.queue }
  const unread = async (person: { personId: string }) =>
    fromJson(await readUnread(admin, person.personId)).newest.filter(({ kind }) => kind === 'suggestion')
  merging.later(6)
  await notifyOfSuggestions(services, assert.ifError)
  assert.deepEqual(await unread(admin), [])
  merging.later(1)
  await notifyOfSuggestions(services, assert.ifError)
  await notifyOfSuggestions(services, assert.ifError)
  const [told, ...more] = await unread(admin)
  assert.deepEqual(
    [told?.thing, told?.title, more.length],
    [
      team.slug,
      `${(await merging.suggested())?.teamName}: merge changes of up to 80 lines without asking?`,
      0,
    ],
  )
  assert.match(told!.body, /^The last 10 merges of this kind were approved unchanged\./)
  assert.deepEqual([await unread(member), await unread(owner)], [[], []])
  const mailed = await tables(database.db)
    .selectFrom('effects')
    .where('workspace_id', '=', admin.workspaceId)
    .where('kind', '=', 'mail_notification')
    .execute()
  assert.equal(mailed.length, 1, 'the owner gets it by email')
  await declineSuggestion(admin, { team: team.slug, basedOn: 1, maxLines: 80 })
  assert.deepEqual(await unread(admin), [])
  merging.later(1)
  await merging.approve(10, 90)
  merging.later(7)
  await notifyOfSuggestions(services, assert.ifError)
  assert.match((await unread(admin))[0]!.title, /up to 90 lines/)
})

test('requested changes, a proposed revert and an incident each end a suggestion; approvals by a token make none', async () => {
  const merging = await Merging.begin()
  const { admin, member, team } = merging
  const program: Context = {
    ...member,
    channel: 'api',
    origin: { presence: 'token', tokenPrefix: 'tk_12345678' },
  }
  await merging.approve(10, 80, program)
  merging.later(7)
  assert.equal(await merging.suggested(), null, 'no person approved them')
  await merging.approve(10, 80)
  merging.later(7)
  assert.equal((await merging.suggested())?.maxLines, 80)

  const { merges } = (await merging.suggested())!
  const [first] = (await listDecisions(admin, { team: team.slug }, firstPage)).data.map(fromJson)
  assert.equal(first!.key, merges[0]!.decision)
  const run = first!.runKey!

  const incident = await anIncidentOf(admin, team, run)
  assert.equal(await merging.suggested(), null, 'an incident points to one of them')
  await housekeeping(database.db, 'ends what a test made', async (tx) => {
    await tables(tx).deleteFrom('incidents').where('id', '=', incident).execute()
  })
  assert.ok(await merging.suggested())

  const revert = await aRevertQuestionAbout(admin, run)
  assert.equal(await merging.suggested(), null, 'a revert of one of them is proposed')
  await housekeeping(database.db, 'ends what a test made', async (tx) => {
    await tables(tx).deleteFrom('decisions').where('id', '=', revert).execute()
  })
  assert.ok(await merging.suggested())

  // By a person or not: what is refused is refused.
  await merging.ask(500, 'changes', program)
  assert.equal(await merging.suggested(), null, 'changes were requested of one')
  await assert.rejects(acceptSuggestion(admin, { team: team.slug, basedOn: 1, maxLines: 80 }), {
    code: 'changed_meanwhile',
  })
})

test('a policy that was changed by hand starts the count again, and one that leaves merges to people has none', async () => {
  const merging = await Merging.begin()
  const { admin, team } = merging
  await merging.approve(10, 80)
  merging.later(7)
  assert.ok(await merging.suggested())
  const save = (departures: object) =>
    changePolicy(admin, team.slug, { preset: 'balanced', departures: { ...limited, ...departures } })
  await save({ maxConcurrency: 1 })
  assert.equal((await merging.suggested())?.basedOn, 2, 'what is not about merges leaves it')
  await save({ autoMergeMaxLines: 60 })
  assert.equal(await merging.suggested(), null)
  await save({ mergePolicy: 'manual' })
  assert.equal(await merging.suggested(), null)
  await save({ mergePolicy: 'auto', autoMergeMaxLines: null })
  assert.equal(await merging.suggested(), null)
})

async function anIncidentOf(ctx: Context, team: { id: string }, run: string): Promise<string> {
  const at = ctx.clock.now()
  const [service, incident] = [newId(at), newId(at)]
  const finding = JSON.stringify({ outcome: 'suspect_merge', suspect: { run } })
  await housekeeping(database.db, 'an incident of a test', async (tx) => {
    await sql`
      insert into services (id, workspace_id, team_id, name, created_at, updated_at)
      values (${service}, ${ctx.workspaceId}, ${team.id}, 'orders', ${at}, ${at})
    `.execute(tables(tx))
    await sql`
      insert into incidents (id, workspace_id, service_id, team_id, key, title, severity, worst_alert, status, finding,
        opened_at)
      values (${incident}, ${ctx.workspaceId}, ${service}, ${team.id}, 'inc-0001', 'Errors', 'high', 'high', 'open',
        ${finding}, ${at})
    `.execute(tables(tx))
  })
  return incident
}

async function aRevertQuestionAbout(ctx: Context, run: string): Promise<string> {
  const at = ctx.clock.now()
  const id = newId(at)
  await housekeeping(database.db, 'a question of a test', async (tx) => {
    await sql`
      insert into decisions (id, workspace_id, team_id, run_id, kind, key, authority, title, body, status, options,
        recommendation, created_at)
      select ${id}, workspace_id, team_id, id, 'revert_approval', 'dec-zzzz', 'admin', 'Revert', 'Red.', 'pending',
        '[{"id": "revert", "label": "Revert", "action": "open_revert"}, {"id": "keep", "label": "Keep", "action": "decline_proposal"}]', 'revert', ${at}
      from runs where workspace_id = ${ctx.workspaceId} and key = ${run}
    `.execute(tables(tx))
  })
  return id
}
