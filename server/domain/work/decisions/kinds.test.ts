import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Decision, decisionKinds } from '@signalbox/contract/decision.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, goesWrong, TestEngine } from '../../../test/engine/engine.ts'
import { type Beginning, OneRun } from '../../../test/engine/one-run.ts'
import { reportMain } from '../../engine/lifecycle/report-main.ts'
import type { WorkEvent } from '../../ports/work.ts'
import { listAudit } from '../../record/audit/list.ts'
import { questionOf } from './kinds.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)

/** What an agent may come to write: structure, markup and a fake option, with every kind of line break. */
const hostile =
  'All is well.\n# Heading\r## Carriage\r\n<script>alert(1)</script>\n- **Option** yes: do all of it'
const hostilePath = 'infra/`\n# Heading\r<script>'

interface Raising {
  under?: Beginning
  by: (run: OneRun, text: string) => WorkEvent[]
  authority: Decision['authority']
  /** Option ids with their actions, the recommended one first. */
  options: [id: string, action: string][]
}

const denying = { departures: { deniedPaths: ['infra/**'] } }
const failing = (text: string): WorkEvent => ({
  ...goesWrong.gates,
  gates: [{ name: `unit ${text}`, result: 'failed', summary: text }],
})
const proposal = (kind: 'maintenance_proposal' | 'strategy_proposal', text: string): WorkEvent => ({
  type: 'proposal_made',
  proposal: { kind, fingerprint: 'one', title: `Do this. ${text}`, body: text, story: null },
})
const startOver: Raising['options'] = [
  ['retry', 'retry'],
  ['changes', 'request_changes'],
  ['abandon', 'abandon'],
]

const kinds: Record<Decision['kind'], Raising> = {
  plan_approval: {
    under: { preset: 'supervised' },
    by: (_, text) => [{ ...goesWell.plan, plan: text }],
    authority: 'member',
    options: [
      ['approve', 'approve_plan'],
      ['changes', 'request_changes'],
      ['reject', 'reject'],
    ],
  },
  policy_exception: {
    under: denying,
    by: (_, text) => [{ ...goesWell.plan, plan: text, paths: ['src/a.ts', hostilePath] }],
    authority: 'admin',
    options: [
      ['changes', 'request_changes'],
      ['allow', 'allow_once'],
      ['reject', 'reject'],
    ],
  },
  clarification: {
    by: (_, text) => [{ ...goesWrong.question, question: text, context: text }],
    authority: 'member',
    options: [
      ['utc', 'answer'],
      ['local', 'answer'],
      ['abandon', 'abandon'],
    ],
  },
  budget_stop: {
    by: () => [{ type: 'usage', amount: 20, currency: 'EUR' }],
    authority: 'admin',
    options: [
      ['raise', 'raise_budget'],
      ['abandon', 'abandon'],
    ],
  },
  verification_failed: {
    under: { departures: { gateFailureBudget: 9 } },
    by: (_, text) => [goesWell.plan, goesWell.change, failing(text), goesWell.change, failing(text)],
    authority: 'member',
    options: startOver,
  },
  gate_failure: {
    by: (_, text) => [{ type: 'spec_failed', error: text }],
    authority: 'member',
    options: [startOver[1]!, startOver[0]!, startOver[2]!],
  },
  diff_guard: {
    by: () => [
      goesWell.plan,
      {
        ...goesWell.change,
        change: { ...goesWell.change.change, paths: [`.kanman/acceptance/${hostilePath}`] },
      },
    ],
    authority: 'member',
    options: [
      ['restore', 'revert_spec_and_retry'],
      ['abandon', 'abandon'],
    ],
  },
  repeated_gate_failure: {
    under: { departures: { gateFailureBudget: 1 } },
    by: (_, text) => [goesWell.plan, goesWell.change, failing(text), goesWell.change, failing(text)],
    authority: 'member',
    options: [startOver[2]!, startOver[0]!, startOver[1]!],
  },
  merge_approval: {
    under: { departures: { mergePolicy: 'auto_within_limits', autoMergeMaxLines: 9 } },
    by: (_, text) => [
      goesWell.plan,
      { ...goesWell.change, pullRequest: { number: 7, url: `https://git.example.com/${text}` } },
      goesWell.gates,
      goesWell.finish,
    ],
    authority: 'member',
    options: [
      ['merge', 'merge'],
      ['changes', 'request_changes'],
      ['reject', 'reject'],
    ],
  },
  revert_approval: {
    by: (run, text) => {
      engine.merges = (story) => (story === run.story.key ? { mainRed: text } : {})
      return [goesWell.plan, goesWell.change, goesWell.gates, goesWell.finish]
    },
    authority: 'admin',
    options: [
      ['revert', 'open_revert'],
      ['forward', 'retry'],
      ['leave', 'decline_proposal'],
    ],
  },
  // Nothing that a run reports: what is known of the main branch.
  main_red_incident: {
    by: () => [],
    authority: 'admin',
    options: [
      ['fix', 'accept_proposal'],
      ['leave', 'decline_proposal'],
    ],
  },
  maintenance_proposal: {
    by: (_, text) => [proposal('maintenance_proposal', text)],
    authority: 'member',
    options: [
      ['accept', 'accept_proposal'],
      ['decline', 'decline_proposal'],
    ],
  },
  strategy_proposal: {
    by: (_, text) => [proposal('strategy_proposal', text)],
    authority: 'owner',
    options: [
      ['accept', 'accept_proposal'],
      ['decline', 'decline_proposal'],
    ],
  },
  scope_change: {
    by: (_, text) => [{ type: 'scope_change_proposed', plan: text, change: text }],
    authority: 'member',
    options: [
      ['keep', 'request_changes'],
      ['widen', 'approve_plan'],
      ['reject', 'reject'],
    ],
  },
}

/** What is left of a text when all that is quoted, as a block or as code, is taken out: our own words. */
const ownWords = (markdown: string) =>
  markdown
    .split(/\r\n|\r|\n/)
    .filter((line) => !line.startsWith('> '))
    .join('\n')
    .replaceAll(/(`+)[^\n]*?[^`]\1(?!`)/g, '')

async function raised(kind: Decision['kind'], text: string) {
  const run = await OneRun.begin(engine, kinds[kind].under)
  await run.tell(...kinds[kind].by(run, text))
  if (kind === 'main_red_incident')
    await reportMain(run.owner, run.team.slug, { state: 'red', commit: 'c0ffee', findings: text })
  return { run, decision: await run.asked() }
}

test('there are fourteen kinds', () => {
  assert.equal(decisionKinds.length, 14)
  assert.deepEqual(Object.keys(kinds).sort(), [...decisionKinds].sort())
})

for (const kind of decisionKinds) {
  const { authority, options } = kinds[kind]
  test(`${kind} is raised, with its options, a recommendation, an authority and seven days to answer`, async () => {
    const { run, decision } = await raised(kind, 'Because it is so.')
    assert.equal(decision.kind, kind)
    assert.equal(decision.status, 'pending')
    assert.equal(decision.authority, authority)
    assert.equal(decision.team, run.team.slug)
    assert.ok(decision.options.length >= 2 && decision.options.length <= 4)
    const recommendedFirst = decision.options.toSorted(
      (a, b) => Number(b.recommended) - Number(a.recommended),
    )
    assert.deepEqual(
      recommendedFirst.map(({ id, action }) => [id, action]),
      options,
    )
    assert.deepEqual(
      decision.options.filter((option) => option.recommended).map(({ id }) => id),
      [decision.recommendation],
    )
    assert.ok(decision.options.every(({ label }) => label.length > 0))
    assert.ok(decision.title.length > 0)
    assert.ok(ownWords(decision.body).trim().length > 10, 'the reasoning says something of its own')
    assert.equal(Date.parse(decision.expiresAt!) - Date.parse(decision.createdAt), 7 * 86_400_000)
    assert.equal(decision.createdAt, engine.clock.now().toISOString())
    const isProposal = decision.options.some(({ action }) => action === 'accept_proposal')
    assert.equal(decision.runKey, isProposal ? null : run.key)
    assert.equal(decision.story?.key ?? null, isProposal ? null : run.story.key)
    assert.equal((await run.read()).status, isProposal ? 'running' : 'waiting')
  })

  test(`${kind} quotes what others wrote: it cannot pass for our own words`, async () => {
    const { decision } = await raised(kind, hostile)
    assert.doesNotMatch(ownWords(decision.body), /heading|carriage|script|\bdo all of it\b/i)
    assert.doesNotMatch(decision.title, /[\r\n]/)
  })
}

test('a denied path is asked about in the plan and in the change, however it is written', async () => {
  for (const path of [
    'infra/a.tf',
    './infra/a.tf',
    'src/../infra/a.tf',
    'src\\..\\INFRA\\a.tf',
    '/infra/a.tf',
  ]) {
    const planned = await OneRun.begin(engine, denying)
    await planned.tell({ ...goesWell.plan, paths: [path] })
    assert.equal((await planned.asked()).kind, 'policy_exception', path)
    const changed = await OneRun.begin(engine, denying)
    await changed.tell(goesWell.plan, {
      ...goesWell.change,
      change: { ...goesWell.change.change, paths: [path] },
    })
    assert.equal((await changed.asked()).kind, 'policy_exception', path)
  }
})

test('the acceptance spec is guarded under every policy, also where an exception was granted', async () => {
  const run = await OneRun.begin(engine)
  await run.tell({ ...goesWell.plan, paths: ['.kanman/acceptance/orders.md'] })
  await run.answer('allow')
  await run.tell(goesWrong.changedSpec)
  assert.equal((await run.asked()).kind, 'diff_guard')
})

test('a plan is asked about as the policy says: always, by risk, never', async () => {
  const kindsAsked = async (under: Beginning, risk: 'low' | 'high' = 'low') => {
    const run = await OneRun.begin(engine, under)
    await run.tell({ ...goesWell.plan, risk })
    return (await run.pending()).map(({ kind }) => kind)
  }
  assert.deepEqual(await kindsAsked({ preset: 'supervised' }), ['plan_approval'])
  assert.deepEqual(await kindsAsked({ preset: 'balanced' }), [])
  assert.deepEqual(await kindsAsked({ preset: 'balanced' }, 'high'), ['plan_approval'])
  assert.deepEqual(await kindsAsked({ preset: 'balanced', story: { size: 'l' } }), ['plan_approval'])
  assert.deepEqual(await kindsAsked({ preset: 'balanced', story: { complexity: 'high' } }), ['plan_approval'])
  assert.deepEqual(await kindsAsked({ preset: 'autonomous', story: { size: 'xl' } }, 'high'), [])
})

test('a verified change is merged as the policy says: by people, after asking, within limits, always', async () => {
  const ends = async (departures: NonNullable<Beginning['departures']>) => {
    const run = await OneRun.begin(engine, { departures })
    await run.tell(goesWell.plan, goesWell.change, goesWell.gates, goesWell.finish)
    const merged = [...engine.gitHost.done.keys()].some((key) => key.includes(run.order.runId))
    return [(await run.read()).status, merged ? 'merged' : 'not merged', (await run.readStory()).column.role]
  }
  assert.deepEqual(await ends({ mergePolicy: 'manual' }), ['succeeded', 'not merged', 'review'])
  assert.deepEqual(await ends({ mergePolicy: 'ask' }), ['waiting', 'not merged', 'review'])
  assert.deepEqual(await ends({ mergePolicy: 'auto_within_limits', autoMergeMaxLines: 9 }), [
    'waiting',
    'not merged',
    'review',
  ])
  assert.deepEqual(await ends({ mergePolicy: 'auto_within_limits', autoMergeMaxLines: 10 }), [
    'succeeded',
    'merged',
    'done',
  ])
  assert.deepEqual(await ends({ mergePolicy: 'auto' }), ['succeeded', 'merged', 'done'])
})

test('a question without usable options can be answered all the same', async () => {
  const id = 'x'.repeat(201)
  const questions = [
    { options: [], recommendation: 'utc' },
    { options: [{ id: 'utc', label: 'UTC' }], recommendation: 'something else' },
    {
      options: ['a', 'b', 'c', 'd'].map((id) => ({ id, label: id })),
      recommendation: 'd',
    },
    {
      options: [
        { id: 'abandon', label: 'Yes' },
        { id: 'abandon', label: 'No' },
      ],
      recommendation: 'abandon',
    },
    {
      options: [
        { id: '', label: '' },
        { id, label: 'long' },
      ],
      recommendation: id,
    },
  ]
  for (const asked of questions) {
    const run = await OneRun.begin(engine)
    await run.tell({ ...goesWrong.question, question: ' ', ...asked })
    const { options, recommendation, title } = await run.asked()
    assert.ok(title.trim().length > 0)
    assert.ok(options.length >= 2 && options.length <= 4)
    assert.equal(new Set(options.map(({ id }) => id)).size, options.length)
    assert.ok(options.every(({ id, label }) => id.length > 0 && id.length <= 200 && label.length > 0))
    assert.deepEqual(
      options.map(({ action }) => action),
      [...options.slice(1).map(() => 'answer'), 'abandon'],
    )
    if (recommendation === 'd') assert.ok(options.some(({ id, recommended }) => id === 'd' && recommended))
    await run.answer(recommendation, 'As written here.')
    assert.match(run.order.guidance.at(-1) ?? '', /As written here\.$/)
  }
})

test('what was proposed once is not proposed again, whatever came of it', async () => {
  const run = await OneRun.begin(engine)
  const again = proposal('maintenance_proposal', 'said once more')
  await run.tell(again, again)
  assert.equal((await run.pending()).length, 1)
  await run.answer('decline')
  await run.tell(again)
  assert.deepEqual(await run.pending(), [])
  await run.tell(proposal('strategy_proposal', 'another kind is another proposal'))
  assert.equal((await run.pending()).length, 1)
})

const red = { state: 'red', commit: 'c0ffee', findings: 'orders.test.ts fails' } as const

test('a red main branch is asked about once, and the question is taken back when it is green', async () => {
  const { owner, team, pending } = await aTeamAtRest()
  await reportMain(owner, team, red)
  await reportMain(owner, team, { ...red, commit: 'bada55' })
  const [incident, ...others] = await pending()
  assert.deepEqual([incident?.kind, others.length], ['main_red_incident', 0])
  await reportMain(owner, team, { state: 'green' })
  assert.deepEqual(await pending(), [])
  const turns = (await listAudit(owner, { event: 'team_changed' }, { limit: 10, after: null })).data.map(
    fromJson,
  )
  const at = engine.clock.now().toISOString()
  assert.deepEqual(
    turns.map(({ details }) => details.changes),
    [
      [{ field: 'mainRedSince', before: at, after: null }],
      [{ field: 'mainRedSince', before: null, after: at }],
    ],
  )
  engine.clock.forward(60_000)
  await reportMain(owner, team, red)
  assert.equal((await pending()).length, 1, 'red again is a new incident, also at the same commit')
})

test('a fix for a red main branch is an expedite story', async () => {
  const { run, owner, team } = await aTeamAtRest()
  await reportMain(owner, team, { ...red, findings: `\0\ud83d${'x'.repeat(60_000)}` })
  const resolved = await run.answer('fix')
  const filed = resolved.effects.find(({ type }) => type === 'story_filed')!.target.id
  const order = engine.orders.findLast(({ story }) => story.key === filed)
  assert.ok(order, 'and is taken up at once')
})

async function aTeamAtRest() {
  const run = await OneRun.begin(engine)
  return { run, owner: run.owner, team: run.team.slug, pending: () => run.pending() }
}

test('how long before the first alert a merge was made is said in minutes, and from two hours on in hours too', () => {
  const said = (minutes: number) =>
    /^- Merged (.*) before the first alert$/m.exec(
      questionOf('revert_approval', {
        title: 'Round rates down',
        facts: {
          incident: 'inc-4m8t',
          findings: 'One finding\nAnother finding',
          pullRequest: null,
          revert: {
            ...{ incident: 'id', team: 'web', repository: null, commit: 'a'.repeat(40) },
            ...{ pullRequest: null, title: 'Round rates down' },
          },
          merge: { author: 'Åse', minutes, common: [], run: null },
        },
      }).body,
    )?.[1]
  assert.equal(said(1), '1 minute')
  assert.equal(said(119), '119 minutes')
  assert.equal(said(2_022), '34 hours (2,022 minutes)')
})
