import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { resolveDecision } from '../../domain/engine/answers/resolve.ts'
import { listIncidentNotifications } from '../../domain/on-call/incident-notifications/list.ts'
import { change } from '../../domain/record/audit/change.ts'
import { addEffect } from '../../domain/record/outbox/add.ts'
import type { EffectData, EffectKind } from '../../domain/record/outbox/effect.ts'
import { performEffect } from '../../domain/record/outbox/perform.ts'
import { listStuckRuns } from '../../domain/work/runs/list-stuck.ts'
import { newId } from '../../infra/ids.ts'
import { testDatabase } from '../../test/database.ts'
import { barePerformers, goesWell, TestEngine } from '../../test/engine/engine.ts'
import { OneRun } from '../../test/engine/one-run.ts'
import { aStory } from '../../test/factories.ts'
import { anAlert, OnCall } from '../../test/on-call/on-call.ts'
import { tables } from '../../test/tables.ts'

const database = await testDatabase()
after(() => database.close())

const effectsOf = (workspaceId: string, kind: EffectKind) =>
  tables(database.db)
    .selectFrom('effects')
    .select(['id', 'attempts', 'due_at', 'done_at', 'last_error'])
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .execute()

/** Tried at most once, over, and no failure left behind. */
async function assertOver(workspaceId: string, kind: EffectKind): Promise<void> {
  const effects = await effectsOf(workspaceId, kind)
  assert.ok(effects.length > 0, kind)
  for (const { attempts, due_at, last_error } of effects)
    assert.deepEqual([attempts, due_at, last_error], [1, null, null], kind)
}

/** A run that is about to be handed on when everything outside is gone. */
async function cutOff(reach: (run: OneRun, engine: TestEngine) => Promise<unknown>): Promise<OneRun> {
  const engine = new TestEngine(database.db)
  const run = await OneRun.begin(engine)
  await reach(run, engine)
  engine.connected = false
  engine.serving = false
  await engine.settle()
  return run
}

const upToFinish = [goesWell.plan, goesWell.change, goesWell.gates]

/** An open incident of a service that posts in a place and mails a member. */
async function anIncident() {
  const onCall = await OnCall.begin(database.db)
  await onCall.place('C1')
  const service = await onCall.service({ notify: [onCall.admin.personId] })
  await onCall.receive(await onCall.source('generic', [service]), { alerts: [anAlert()] })
  const [incident] = await onCall.incidents()
  const perform = async <K extends EffectKind>(kind: K) => onCall.perform(kind, barePerformers[kind])
  return { onCall, incident: incident!, perform, workspaceId: onCall.workspace.workspaceId }
}

/** Has one thing done that is wanted in an incident's workspace. */
async function wanted<K extends EffectKind>(
  kind: K,
  dataOf: (world: Awaited<ReturnType<typeof anIncident>>) => EffectData[K] | Promise<EffectData[K]>,
) {
  const world = await anIncident()
  const data = await dataOf(world)
  const effect = { kind, key: `${kind}/test`, data } as Parameters<typeof addEffect>[2]
  const { ctx } = world.onCall
  const id = await change(ctx, async (tx) => ({ value: await addEffect(ctx, tx, effect), audit: [] }))
  await performEffect(ctx, id!, barePerformers)
  await assertOver(world.workspaceId, kind)
  return world
}

const somewhere = () => newId(new Date())

/** For every kind: what is left of it where the tool that it needs is not configured. */
const kinds: Record<EffectKind, () => Promise<unknown>> = {
  async hand_out() {
    const run = await cutOff((it) => it.report(goesWell.plan))
    assert.deepEqual(await run.stands(), ['queued', 'implementing'])
    assert.equal((await run.read()).attempts, 1)
    const [stuck] = await listStuckRuns(run.owner)
    assert.match(stuck?.reason ?? '', /no repository/)
    assert.equal((await run.audit())[0]?.details.cause, 'no_runner')
  },
  async merge() {
    const run = await cutOff(async (it) => {
      await it.tell(...upToFinish)
      await it.report(goesWell.finish)
    })
    await assertOver(run.owner.workspaceId, 'merge')
    const { status, failureClass, attemptList } = await run.read()
    assert.deepEqual([status, failureClass], ['failed', 'dependency'])
    assert.equal(attemptList[0]?.error, 'No git host is connected. Merge the pull request yourself.')
  },
  async open_pull_request() {
    const run = await cutOff(async (it) => {
      await it.tell(...upToFinish)
      await it.report(goesWell.pushed)
    })
    await assertOver(run.owner.workspaceId, 'open_pull_request')
    assert.equal(
      (await run.read()).attemptList[0]?.error,
      'No git host is connected. The branch is pushed; open the pull request yourself.',
    )
  },
  async post_verdict() {
    const pullRequest = { number: 7, url: 'https://git.example.com/pull/7' }
    await wanted('post_verdict', () => ({
      ...{ run: 'run-0000', team: 'web', story: 'WEB-1', head: 'c0ffee' },
      pullRequest,
    }))
  },
  async check_main() {
    const run = await cutOff(async (it, engine) => {
      await it.tell(...upToFinish)
      await it.report(goesWell.finish)
      await engine.handle(engine.wakes.find(({ wake }) => wake.task === 'effect')!.wake)
    })
    await assertOver(run.owner.workspaceId, 'check_main')
    assert.match(
      (await run.read()).attemptList[0]?.error ?? '',
      /^No git host .* is merged; check for yourself/,
    )
  },
  async open_revert() {
    const run = await cutOff(async (it, engine) => {
      engine.merges = () => ({ mainRed: '2 tests fail' })
      await it.tell(...upToFinish, goesWell.finish)
      await resolveDecision(it.owner, { key: (await it.asked()).key, optionId: 'revert' })
    })
    await assertOver(run.owner.workspaceId, 'open_revert')
    assert.match((await run.read()).attemptList[0]?.error ?? '', /^No git host .* Revert the merge yourself/)
  },
  async revert_merge() {
    const { onCall } = await wanted('revert_merge', ({ incident, onCall }) => ({
      incident: incident.id,
      team: onCall.team.slug,
      repository: null,
      commit: 'c0ffee00c0ffee00',
      pullRequest: null,
      title: 'Retry payments',
    }))
    const entry = (await onCall.entries('incident_updated')).at(-1)
    assert.deepEqual(
      [entry.result, entry.details.change, entry.details.reason],
      ['failure', 'revert_not_opened', 'No git host is connected.'],
    )
  },
  async comment_issue() {
    const { onCall } = await wanted('comment_issue', ({ onCall }) => ({
      issue: { platform: 'jira', key: 'SHOP-7', url: 'https://tracker.example.com/SHOP-7' },
      text: 'Not now.',
      story: 'SHOP-7',
      team: onCall.team.slug,
      run: 'run-aaaa',
    }))
    const [entry] = await onCall.entries('tracker_written')
    assert.deepEqual([entry.result, entry.details.reason], ['failure', 'No tracker is connected.'])
  },
  async write_story() {
    const { onCall } = await wanted('write_story', async ({ onCall }) => ({
      storyId: (await aStory(onCall.admin, onCall.team, { column: 'backlog' })).id,
    }))
    const [entry] = await onCall.entries('story_written')
    assert.deepEqual([entry.result, entry.details.trackerKey], ['success', null])
  },
  async write_issue() {
    const { onCall } = await wanted('write_issue', async ({ onCall }) => ({
      storyId: (await aStory(onCall.admin, onCall.team, { column: 'backlog' })).id,
    }))
    assert.deepEqual(await onCall.entries('tracker_written'), [])
  },
  submit_requirement: () =>
    wanted('submit_requirement', ({ onCall }) => ({ team: onCall.team.slug, text: 'Print labels.' })),
  hear_reply: () =>
    wanted('hear_reply', () => ({ requirement: 'nowhere-k3x9q', text: 'Hello', source: 'C1/1.0' })),
  show_requirement: () =>
    wanted('show_requirement', () => ({ requirement: 'nowhere-k3x9q', place: somewhere() })),
  show_reply: () => wanted('show_reply', () => ({ reply: somewhere(), place: somewhere() })),
  async investigate_incident() {
    const { perform, workspaceId } = await anIncident()
    await perform('investigate_incident')
    await assertOver(workspaceId, 'investigate_incident')
  },
  async post_incident() {
    const { onCall, incident, perform, workspaceId } = await anIncident()
    await perform('post_incident')
    await assertOver(workspaceId, 'post_incident')
    const post = (await listIncidentNotifications(onCall.admin, incident.key)).find(({ by }) => by === 'post')
    assert.deepEqual([post?.state, post?.error], ['refused', 'No chat tool is connected.'])
  },
  show_decision: () => wanted('show_decision', () => ({ decision: 'dec-0000', place: somewhere() })),
  post_ephemeral_message: () =>
    wanted('post_ephemeral_message', () => ({
      connection: somewhere(),
      channel: 'C1',
      user: 'U1',
      text: 'Hello.',
    })),
  offer_chat_link: () =>
    wanted('offer_chat_link', () => ({ connection: somewhere(), channel: 'C1', user: 'U1' })),
  async mail_member() {
    const { perform, workspaceId } = await anIncident()
    await perform('mail_member')
    await assertOver(workspaceId, 'mail_member')
  },
  mail_notification: () => wanted('mail_notification', () => ({ notification: somewhere() })),
  mail_report: () => wanted('mail_report', () => ({ person: somewhere(), morning: '2026-03-31' })),
  post_report: () => wanted('post_report', () => ({ person: somewhere(), morning: '2026-03-31' })),
  push_notification: () =>
    wanted('push_notification', () => ({ notification: somewhere(), browser: somewhere() })),
  update_alert: () =>
    wanted('update_alert', ({ incident }) => ({
      incident: incident.id,
      alert: somewhere(),
      what: 'acknowledge',
    })),
  withdraw_question: () =>
    wanted('withdraw_question', ({ incident, onCall }) => ({ incident: incident.id, team: onCall.team })),
  confirm_subscription: () =>
    wanted('confirm_subscription', () => ({
      source: somewhere(),
      topicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
      token: 'x',
    })),
}

for (const [kind, isOver] of Object.entries(kinds))
  test(`what no one has configured is not tried again: ${kind}`, async () => void (await isOver()))
