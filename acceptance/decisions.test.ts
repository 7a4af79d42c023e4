import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Check, Errors } from 'typebox/value'
import type { AuditEntry } from '../contract/audit.ts'
import { type Decision, decisionKinds, optionActions, ResolvedDecision } from '../contract/decision.ts'
import type { Run } from '../contract/run.ts'
import type { Story, StoryListed } from '../contract/story.ts'
import { type Asked, calm, type Demo, hurried, type Reply, refused, startDemo, until } from './demo.ts'

/**
 * "Decisions": every kind is answered, over HTTP, and followed until what the action promises can be seen.
 *
 * FAULTS=all answers every kind with every action that it offers (`npm run test:faults`). A decision is answered once,
 * so there is then a world for each option: in the first one every kind gets its first option, in the second its second,
 * and so on. Otherwise there is one world, and each kind gets an action that no other has got, if it offers one.
 */

const isThorough = process.env.FAULTS === 'all'
const worlds: Demo[] = []
for (let option = 1; option <= (isThorough ? 3 : 1); option += 1)
  worlds.push(await startDemo({ env: hurried }))
/** For what is refused, and for answers whose effects are followed in the others. */
const quiet = await startDemo({ env: calm })

const ofKind = (decisions: Decision[], kind: Decision['kind']) =>
  decisions.filter((decision) => decision.kind === kind)
const pendingIn = (demo: Demo) => demo.all<Decision>('/v1/decisions?status=pending')

/** One answer to be played: the oldest pending decision of a kind, and one of the actions it offers. */
interface Play {
  demo: Demo
  before: Decision
  option: Decision['options'][number]
  note: string
  runBefore: Run | null
}

// The oldest of a kind is there from the start; newer ones are raised by the demo's runs in the meantime.
const waiting = (await pendingIn(worlds[0]!)).reverse()
const offered = decisionKinds.map((kind) => {
  const options = ofKind(waiting, kind)[0]?.options ?? []
  return { kind, actions: [...new Set(options.map(({ action }) => action))] }
})
const taken = new Set<string>()
const pairs = offered.flatMap(({ kind, actions }) => {
  if (isThorough) return actions.map((action, at) => ({ kind, action, demo: worlds[at]! }))
  const action = actions.find((one) => !taken.has(one)) ?? actions[0]!
  taken.add(action)
  return [{ kind, action, demo: worlds[0]! }]
})

const open = await pendingIn(quiet)

async function prepared({ kind, action, demo }: (typeof pairs)[number]): Promise<Play> {
  const before = ofKind((await pendingIn(demo)).reverse(), kind)[0]!
  const option = before.options.find((candidate) => candidate.action === action)!
  const runBefore = before.runKey ? await demo.get<Run>(`/v1/runs/${before.runKey}`) : null
  return { demo, before, option, note: `For the record: ${action} on ${kind}.`, runBefore }
}

const resolve = (demo: Demo, key: string, body: unknown, asked: Asked = {}) =>
  demo.ask(`/v1/decisions/${key}/resolve`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...asked,
    headers: { 'content-type': 'application/json', ...asked.headers },
  })

function resolved(reply: Reply): ResolvedDecision {
  assert.equal(reply.status, 200, reply.text)
  const body = JSON.parse(reply.text)
  assert.ok(Check(ResolvedDecision, body), JSON.stringify([...Errors(ResolvedDecision, body)]))
  return body
}

const answersTo = async (demo: Demo, key: string) =>
  (await demo.all<AuditEntry>('/v1/audit?event=decision_resolved')).filter(({ entity }) => entity.id === key)

/** What the log says of the run since the answer, newest first. */
const since = async ({ demo, before }: Play, answer: ResolvedDecision) =>
  (await demo.all<AuditEntry>(`/v1/audit?run=${before.runKey}`)).filter(
    ({ timestamp }) => timestamp >= answer.resolvedAt!,
  )

const columnOf = async (demo: Demo, story: string) =>
  (await demo.get<Story>(`/v1/stories/${story}`)).column.role

const ended = ['succeeded', 'failed', 'timed_out', 'stopped']

/** The run once it has ended or asks the next question. */
async function comesToRest({ demo, before }: Play): Promise<Run> {
  let run: Run | undefined
  await until(`${before.runKey} of ${before.story?.key} ends or asks again`, async () => {
    run = await demo.get<Run>(`/v1/runs/${before.runKey}`)
    return run.status === 'waiting' || ended.includes(run.status)
  })
  return run!
}

/** It went on and got somewhere: to its end, or to a question that is not the one that was answered. */
async function goesOn(play: Play): Promise<Run> {
  const run = await comesToRest(play)
  const asks = run.decisions.filter(({ status }) => status === 'pending')
  assert.equal(asks.length, run.status === 'waiting' ? 1 : 0)
  assert.ok(!asks.some(({ key }) => key === play.before.key))
  assert.notEqual(run.status, 'failed')
  return run
}

/** What the service was told reached the work: a scripted run shows it in its next plan or in its evidence. */
async function follows(play: Play, run: Run, said: string): Promise<void> {
  const asked = run.decisions.find(({ status }) => status === 'pending')
  const question = asked && (await play.demo.get<Decision>(`/v1/decisions/${asked.key}`))
  const seen = [
    ...(run.evidence?.gates ?? []).map(({ summary }) => summary),
    question?.kind === 'plan_approval' ? question.body : '',
  ]
  assert.ok(
    seen.some((text) => text.includes(said)),
    `${said} in ${JSON.stringify(seen)}`,
  )
}

/** As what a run ends that is given up: where nothing had failed, it was stopped. */
const endings: Partial<Record<Decision['kind'], [Run['status'], Run['failureClass']]>> = {
  plan_approval: ['stopped', null],
  policy_exception: ['failed', 'policy'],
  clarification: ['stopped', null],
  budget_stop: ['failed', 'budget'],
  verification_failed: ['failed', 'gate'],
  gate_failure: ['failed', 'gate'],
  diff_guard: ['failed', 'gate'],
  repeated_gate_failure: ['failed', 'gate'],
  merge_approval: ['stopped', null],
  scope_change: ['stopped', null],
}

async function endsAndReturns(play: Play, answer: ResolvedDecision): Promise<AuditEntry> {
  const { demo, before } = play
  const story = before.story!.key
  assert.deepEqual(
    answer.effects.map(({ type, status, target }) => [type, status, target.id]),
    [
      ['run_ended', 'done', before.runKey],
      ['story_returned', 'done', story],
    ],
  )
  const run = await demo.get<Run>(`/v1/runs/${before.runKey}`)
  assert.deepEqual([run.status, run.failureClass], endings[before.kind])
  assert.notEqual(run.completedAt, null)
  assert.equal(await columnOf(demo, story), 'backlog')
  const log = await since(play, answer)
  const state = log.find(({ event }) => event === 'run_state_changed')
  assert.equal(state?.details.status, run.status)
  const returned = log.find(({ event, entity }) => event === 'story_changed' && entity.id === story)
  assert.ok(returned, 'the log tells that the story was returned')
  assert.equal((returned.details.changes as { after: string }[])[0]!.after, 'backlog')
  return returned
}

/** What each action promises, as the specification says it, and how that is seen from outside. */
const promises: Record<
  (typeof optionActions)[number],
  [says: string, holds: (play: Play, answer: ResolvedDecision) => Promise<void>]
> = {
  approve_plan: [
    'plan approved; implementation starts',
    async (play, answer) => {
      assert.equal(answer.effects[0]!.type, 'implementation_started')
      const run = await goesOn(play)
      assert.notEqual(run.evidence, null, 'it was implemented and verified')
      assert.ok((await since(play, answer)).some(({ details }) => details.stage === 'implementing'))
    },
  ],
  request_changes: [
    'run continues with the note as input',
    async (play, answer) => {
      assert.equal(answer.effects[0]!.type, 'run_continued')
      const run = await goesOn(play)
      assert.equal(run.attempts, play.runBefore!.attempts, 'the same attempt')
      await follows(play, run, play.note)
    },
  ],
  allow_once: [
    'policy exception granted for this run only',
    async (play, answer) => {
      const [granted] = answer.effects
      assert.deepEqual([granted!.type, granted!.status], ['exception_granted', 'done'])
      assert.match(granted!.message, /infra\/terraform\/prod\.tf/)
      const run = await goesOn(play)
      assert.notEqual(run.evidence, null)
      assert.ok(
        !run.decisions.some(({ kind, status }) => kind === 'policy_exception' && status === 'pending'),
      )
      const policyChanges = await play.demo.all<AuditEntry>('/v1/audit?event=policy_changed')
      assert.ok(policyChanges.every(({ timestamp }) => timestamp < answer.resolvedAt!))
    },
  ],
  reject: [
    'run ends; story returns to Backlog with the note',
    async (play, answer) => {
      const returned = await endsAndReturns(play, answer)
      assert.equal(returned.details.note, play.note)
      const run = await play.demo.get<Run>(`/v1/runs/${play.before.runKey}`)
      assert.ok(run.attemptList.at(-1)!.error?.includes(play.note))
      await until('the note is written under the issue', async () =>
        (await since(play, answer)).some(({ event }) => event === 'tracker_written'),
      )
    },
  ],
  raise_budget: [
    'run budget raised, by default to double the cap; run continues',
    async (play, answer) => {
      const raised = await play.demo.get<Run>(`/v1/runs/${play.before.runKey}`)
      assert.equal(raised.budgetCents, play.runBefore!.budgetCents * 2)
      assert.deepEqual([answer.effects[0]!.type, answer.effects[0]!.status], ['budget_raised', 'done'])
      const run = await goesOn(play)
      assert.ok(run.costCents > play.runBefore!.costCents, 'it spends again')
      assert.notEqual(run.evidence, null)
    },
  ],
  abandon: [
    'run ends; story returns to Backlog',
    async (play, answer) => {
      const returned = await endsAndReturns(play, answer)
      assert.equal(returned.details.note, undefined)
    },
  ],
  revert_spec_and_retry: [
    'acceptance spec restored; new attempt starts',
    async (play, answer) => {
      assert.equal(answer.effects[0]!.type, 'spec_restored')
      await beginsAnew(play)
    },
  ],
  retry: [
    'new attempt starts with the note as guidance',
    async (play, answer) => {
      assert.equal(answer.effects[0]!.type, 'attempt_started')
      await follows(play, await beginsAnew(play), play.note)
    },
  ],
  answer: [
    'answer passed to the coding agent; run continues',
    async (play, answer) => {
      assert.equal(answer.effects[0]!.type, 'run_continued')
      const run = await goesOn(play)
      assert.equal(run.attempts, play.runBefore!.attempts)
      await follows(play, run, `${play.option.label}. ${play.note}`)
    },
  ],
  merge: [
    'pull request merged',
    async (play, answer) => {
      const [started] = answer.effects
      assert.equal(started!.type, 'merge_started')
      assert.ok(started!.message.includes(`#${play.runBefore!.pullRequest!.number}`))
      const run = await comesToRest(play)
      assert.deepEqual([run.status, run.failureClass], ['succeeded', null])
      assert.equal(await columnOf(play.demo, play.before.story!.key), 'done')
    },
  ],
  open_revert: [
    'a revert pull request is opened',
    async (play, answer) => {
      assert.equal(answer.effects[0]!.type, 'revert_started')
      const run = await comesToRest(play)
      const { number } = play.runBefore!.pullRequest!
      assert.deepEqual([run.status, run.failureClass], ['failed', 'persistent'])
      assert.match(run.attemptList.at(-1)!.error ?? '', new RegExp(`#${number} .*#\\d+`))
    },
  ],
  accept_proposal: [
    'proposal filed as a story or sent to intake',
    async ({ demo, before, note }, answer) => {
      const [filed] = answer.effects
      if (filed!.type === 'requirement_submitted') {
        await until('the requirement is taken in', async () =>
          (await demo.all<AuditEntry>(`/v1/audit?event=requirement_submitted&team=${before.team}`)).some(
            ({ timestamp }) => timestamp >= answer.resolvedAt!,
          ),
        )
        return
      }
      assert.deepEqual([filed!.type, filed!.status, filed!.target.type], ['story_filed', 'done', 'story'])
      const address = `/v1/stories/${filed!.target.id}`
      const story = await demo.get<Story>(address)
      assert.deepEqual([story.team, story.draft, story.readinessScore], [before.team, false, 100])
      assert.ok(story.description.includes(note))
      await until(`${story.key} is taken up`, async () => {
        const { runKeys, column } = await demo.get<Story>(address)
        return runKeys.length === 1 && column.role !== 'ready'
      })
    },
  ],
  decline_proposal: [
    'proposal declined and remembered',
    async (play, answer) => {
      const { demo, before, note } = play
      if (before.runKey) {
        // A proposed revert: declined, the merge stays.
        assert.equal(answer.effects[0]!.type, 'merge_kept')
        const run = await demo.get<Run>(`/v1/runs/${before.runKey}`)
        assert.equal(run.status, 'succeeded')
        assert.equal(await columnOf(demo, before.story!.key), 'done')
        return
      }
      assert.deepEqual(
        answer.effects.map(({ type, status, target }) => [type, status, target.id]),
        [['proposal_declined', 'done', before.team]],
      )
      // What is filed carries the note of its answer; others answer for the same team in the meantime.
      const stories = await demo.all<StoryListed>(`/v1/teams/${before.team}/stories?drafts=true`)
      for (const { key, createdAt } of stories)
        if (createdAt >= answer.resolvedAt!)
          assert.ok(!(await demo.get<Story>(`/v1/stories/${key}`)).description.includes(note), key)
    },
  ],
}

async function beginsAnew(play: Play): Promise<Run> {
  const { attempts } = play.runBefore!
  const run = await goesOn(play)
  assert.equal(run.attempts, attempts + 1)
  const [last, next] = run.attemptList.slice(-2)
  assert.equal(last!.status, 'failed')
  assert.notEqual(last!.completedAt, null)
  assert.notEqual(next!.verification, null, 'the new attempt was verified')
  return run
}

describe('Every kind of decision', () => {
  test('is pending in the demo from the start', () => {
    for (const kind of decisionKinds) assert.ok(ofKind(waiting, kind).length > 0, kind)
  })

  test('offers 2 to 4 options, recommends one of them, gives its reasons and names who may answer', () => {
    for (const { kind, options, recommendation, body, authority, resolution } of waiting) {
      assert.ok(options.length >= 2 && options.length <= 4, kind)
      assert.deepEqual(
        options.filter(({ recommended }) => recommended).map(({ id }) => id),
        [recommendation],
        kind,
      )
      assert.ok(body.length > 40, kind)
      assert.ok(['member', 'admin', 'owner'].includes(authority), kind)
      assert.equal(resolution, null)
    }
  })

  test('together they offer every action of the specification', () => {
    assert.deepEqual(new Set(offered.flatMap(({ actions }) => actions)), new Set(optionActions))
  })
})

describe('Answered', { concurrency: true }, () => {
  for (const pair of pairs) {
    const [says, holds] = promises[pair.action]
    test(`${pair.kind}, ${pair.action}: ${says}`, async () => {
      const play = await prepared(pair)
      const { demo, before, option, note } = play
      const asked = Date.now()
      const answer = resolved(await resolve(demo, before.key, { optionId: option.id, note }))
      const answered = Date.now()

      const { effects, ...decision } = answer
      const { status, resolution, resolvedVia, resolvedAt, ...rest } = decision
      assert.deepEqual(
        { status, resolution, resolvedVia },
        { status: 'resolved', resolution: { optionId: option.id, note }, resolvedVia: 'api' },
      )
      assert.deepEqual({ ...before, status, resolution, resolvedVia, resolvedAt }, { ...rest, ...decision })
      assert.ok(Date.parse(resolvedAt!) >= asked && Date.parse(resolvedAt!) <= answered)
      assert.deepEqual(await demo.get<Decision>(`/v1/decisions/${before.key}`), decision)

      assert.ok(effects.length > 0)
      for (const { message, target } of effects) {
        assert.match(message, /^[A-Z].*\.$/s)
        const known = [before.runKey, before.story?.key, before.team]
        if (target.type === 'run') assert.equal(target.id, before.runKey)
        if (target.type === 'team') assert.equal(target.id, before.team)
        assert.ok(target.id && (known.includes(target.id) || ['story', 'decision'].includes(target.type)))
      }

      const [entry, ...more] = await answersTo(demo, before.key)
      assert.deepEqual(more, [])
      assert.deepEqual([entry!.actor.type, entry!.team, entry!.runKey], ['human', before.team, before.runKey])
      assert.deepEqual(
        [entry!.details.channel, entry!.details.optionId, entry!.details.action, entry!.details.note],
        ['api', option.id, option.action, note],
      )
      assert.ok(entry!.timestamp >= resolvedAt!)

      await holds(play, answer)
    })
  }
})

const { tokens } = quiet

/** A decision that may be answered, each given out once. */
const unused = (kind: Decision['kind']): Decision => {
  const at = open.findLastIndex((decision) => decision.kind === kind)
  assert.ok(at >= 0, kind)
  return open.splice(at, 1)[0]!
}
const isStillPending = async ({ key }: Decision) =>
  assert.equal((await quiet.get<Decision>(`/v1/decisions/${key}`)).status, 'pending')

describe('The first answer wins', () => {
  const decision = unused('merge_approval')

  test('of many answers at once one is taken; the others are told 409', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        resolve(quiet, decision.key, { optionId: decision.options[at % 3]!.id }),
      ),
    )
    const taken = replies.filter(({ status }) => status === 200)
    assert.equal(taken.length, 1)
    for (const reply of replies) if (reply !== taken[0]) refused(reply, 409, 'decision_already_resolved')
    const { effects, ...stays } = resolved(taken[0]!)
    assert.deepEqual(await quiet.get<Decision>(`/v1/decisions/${decision.key}`), stays)
    assert.equal((await answersTo(quiet, decision.key)).length, 1)
  })

  test('a later one is 409 too, no matter who gives it and whatever it says', async () => {
    const stays = await quiet.get<Decision>(`/v1/decisions/${decision.key}`)
    for (const token of [tokens.owner, tokens.admin, tokens.member])
      for (const { id } of decision.options)
        refused(
          await resolve(quiet, decision.key, { optionId: id }, { token }),
          409,
          'decision_already_resolved',
        )
    assert.deepEqual(await quiet.get<Decision>(`/v1/decisions/${decision.key}`), stays)
    assert.equal((await answersTo(quiet, decision.key)).length, 1)
  })

  test('a decision that has expired, was cancelled or superseded is 409', async () => {
    for (const status of ['expired', 'cancelled', 'superseded']) {
      const [over] = await quiet.all<Decision>(`/v1/decisions?status=${status}`)
      const reply = await resolve(quiet, over!.key, { optionId: over!.recommendation })
      assert.ok(refused(reply, 409, 'decision_not_pending').includes(status))
    }
  })
})

describe('Refused', () => {
  const decision = unused('verification_failed')
  const { id: optionId } = decision.options[0]!

  test('400: an option that the decision does not have, also when it is already answered', async () => {
    for (const wrong of ['no-such-option', 'Retry', `${optionId} `, 'merge'])
      refused(await resolve(quiet, decision.key, { optionId: wrong }), 400, 'invalid_option', wrong)
    await isStillPending(decision)
    const [over] = await quiet.all<Decision>('/v1/decisions?status=resolved')
    refused(await resolve(quiet, over!.key, { optionId: 'no-such-option' }), 400, 'invalid_option')
  })

  test('400: a body that is not {optionId, note}', async () => {
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      '"retry"',
      {},
      { note: 'without an option' },
      { optionId: 7 },
      { optionId: null },
      { optionId: '' },
      { optionId: [optionId] },
      { optionId, note: 7 },
      { optionId, note: {} },
      { optionId, note: 'a NUL: \0' },
      { optionId, remark: 'a field that does not exist' },
    ])
      refused(await resolve(quiet, decision.key, body), 400, 'invalid_request', JSON.stringify(body))
    await isStillPending(decision)
  })

  test('400: a parameter in the address', async () => {
    const asked = { method: 'POST', body: JSON.stringify({ optionId }) }
    const headers = { 'content-type': 'application/json' }
    const address = `/v1/decisions/${decision.key}/resolve?optionId=${optionId}`
    refused(await quiet.ask(address, { ...asked, headers }), 400, 'unknown_parameter')
    await isStillPending(decision)
  })

  test('415: a body that is not JSON', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    refused(
      await resolve(quiet, decision.key, `optionId=${optionId}`, { headers }),
      415,
      'unsupported_media_type',
    )
  })

  test('401 and 403: without a living token, and with one that may not write', async () => {
    const asked: [string | null, number, string][] = [
      [null, 401, 'missing_token'],
      [tokens.revoked, 401, 'invalid_token'],
      [tokens.expired, 401, 'token_expired'],
      [tokens.readOnly, 403, 'insufficient_scope'],
    ]
    for (const [token, status, code] of asked)
      for (const body of [{ optionId }, { optionId: 'no-such-option' }, {}])
        refused(await resolve(quiet, decision.key, body, { token }), status, code)
    await isStillPending(decision)
  })

  test('403: a role below the authority of the decision, before the option is looked at', async () => {
    const [ofAdmins, ofOwners] = [unused('budget_stop'), unused('strategy_proposal')]
    assert.deepEqual([ofAdmins.authority, ofOwners.authority], ['admin', 'owner'])
    for (const [{ key, recommendation }, token] of [
      [ofAdmins, tokens.member],
      [ofOwners, tokens.member],
      [ofOwners, tokens.admin],
    ] as const)
      for (const id of [recommendation, 'no-such-option'])
        refused(await resolve(quiet, key, { optionId: id }, { token }), 403, 'insufficient_role')
    for (const one of [ofAdmins, ofOwners]) await isStillPending(one)
  })

  test("404: another workspace's decision, word for word like one that is not there", async () => {
    const [theirs] = await quiet.all<Decision>('/v1/decisions?status=pending', tokens.otherWorkspace)
    for (const [key, token] of [
      [decision.key, tokens.otherWorkspace],
      [theirs!.key, tokens.owner],
    ] as const) {
      const reply = await resolve(quiet, key, { optionId }, { token })
      const message = refused(reply, 404, 'decision_not_found')
      const missing = await resolve(quiet, 'dec-0000', { optionId }, { token })
      assert.equal(refused(missing, 404, 'decision_not_found').replace('dec-0000', key), message)
    }
    for (const key of ['nonsense', 'dec-12345', decision.runKey!])
      refused(await resolve(quiet, key, { optionId }), 404, 'decision_not_found', key)
    await isStillPending(decision)
  })

  test('nothing that was refused is in the log', async () => {
    assert.deepEqual(await answersTo(quiet, decision.key), [])
  })
})

describe('Who answers', () => {
  test('is the owner of the token, whatever role suffices', async () => {
    const emails = quiet.started.people
    for (const [kind, token, email] of [
      ['gate_failure', tokens.member, emails.member.email],
      ['policy_exception', tokens.admin, emails.admin.email],
      ['revert_approval', tokens.writeOnly, emails.owner.email],
    ] as const) {
      const { key, options } = unused(kind)
      resolved(await resolve(quiet, key, { optionId: options[1]!.id }, { token }))
      const [entry] = await answersTo(quiet, key)
      const [joined] = (await quiet.all<AuditEntry>('/v1/audit?event=member_joined')).filter(
        ({ entity }) => entity.name === entry!.actor.name,
      )
      assert.ok(joined, `${entry!.actor.name} is a member`)
      // Demo addresses are made of the name, without its accents.
      const plain = entry!.actor.name.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ł', 'l')
      assert.equal(`${plain.toLowerCase().replaceAll(' ', '.')}@example.com`, email)
      assert.match(entry!.actor.userId ?? '', /^[0-9a-f-]{36}$/)
    }
  })

  test('may be a program with a token whose permission is admin', async () => {
    const { token } = await quiet.newToken({ permissions: 'admin' })
    const { key, recommendation } = unused('scope_change')
    resolved(await resolve(quiet, key, { optionId: recommendation }, { token }))
  })
})

describe('The note', () => {
  test('is optional; null, empty and blank are none', async () => {
    for (const [kind, note] of [
      ['diff_guard', undefined],
      ['repeated_gate_failure', null],
      ['main_red_incident', ''],
      ['maintenance_proposal', '  \n'],
    ] as const) {
      const { key, recommendation } = unused(kind)
      const { resolution } = resolved(await resolve(quiet, key, { optionId: recommendation, note }))
      assert.deepEqual(resolution, { optionId: recommendation, note: null }, kind)
    }
  })

  test('has at most 4,000 characters, as a person counts them', async () => {
    const decision = unused('plan_approval')
    const optionId = decision.options.find(({ action }) => action === 'reject')!.id
    for (const note of ['x'.repeat(4_001), '🚚'.repeat(4_001)]) {
      const reply = await resolve(quiet, decision.key, { optionId, note })
      assert.match(refused(reply, 400, 'invalid_request'), /4000|4,000/)
    }
    await isStillPending(decision)
    const note = '🚚'.repeat(4_000)
    const { resolution } = resolved(await resolve(quiet, decision.key, { optionId, note }))
    assert.equal(resolution?.note, note)

    const another = unused('merge_approval')
    const plain = 'x'.repeat(4_000)
    const reply = await resolve(quiet, another.key, { optionId: 'reject', note: plain })
    assert.equal(resolved(reply).resolution?.note, plain)
  })

  test('is kept as it was written, and is never run', async () => {
    const { key, options } = unused('clarification')
    const note =
      '  <script>alert(1)</script> \n\n"quoted", ünïcode, \u202eturned\u202c, {{template}}, $(rm -rf /) '
    const abandon = options.find(({ action }) => action === 'abandon')!
    assert.equal(resolved(await resolve(quiet, key, { optionId: abandon.id, note })).resolution?.note, note)
    assert.equal((await answersTo(quiet, key))[0]!.details.note, note)
  })
})

describe('Idempotency-Key', () => {
  const decision = unused('plan_approval')
  const body = { optionId: 'changes', note: 'Smaller steps, please.' }
  const withKey = (key: string, asked: Asked = {}) => ({ ...asked, headers: { 'idempotency-key': key } })

  test('the same request again gets the same answer, byte for byte, and happens once', async () => {
    const replies = await Promise.all(
      [1, 2, 3, 4].map(() => resolve(quiet, decision.key, body, withKey('answer-1'))),
    )
    replies.push(await resolve(quiet, decision.key, body, withKey('answer-1')))
    for (const reply of replies) {
      resolved(reply)
      assert.equal(reply.text, replies[0]!.text)
    }
    assert.equal((await answersTo(quiet, decision.key)).length, 1)
  })

  test('the same key on another request is 400', async () => {
    for (const other of [
      { ...body, optionId: 'approve' },
      { ...body, note: 'Something else.' },
    ])
      refused(await resolve(quiet, decision.key, other, withKey('answer-1')), 400, 'idempotency_key_reused')
  })

  test('another key, none, or the same key of another person is a later answer', async () => {
    for (const asked of [withKey('answer-2'), {}, withKey('answer-1', { token: tokens.member })])
      refused(await resolve(quiet, decision.key, body, asked), 409, 'decision_already_resolved')
  })

  test('a key that cannot be one is 400', async () => {
    for (const key of ['with space', 'x'.repeat(256), ''])
      refused(await resolve(quiet, decision.key, body, withKey(key)), 400, 'invalid_request', key)
  })
})
