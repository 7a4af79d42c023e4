import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DecisionOption, optionActions } from '@signalbox/contract/decision.ts'
import { consequenceOf, type Matter, numbersOf } from './consequence.ts'

const run: NonNullable<Matter['run']> = {
  key: 'run-7k2q',
  stage: 'implementing',
  attempts: 2,
  budgetCents: 400,
  costMicros: 4_100_000,
  pullRequest: { url: 'https://git.example.com/pull/12', number: 12 },
  changes: { files: 7, additions: 300, deletions: 21, paths: [] },
}

const aboutRun = {
  kind: 'plan_approval',
  facts: null,
  team: 'Checkout Web',
  story: { key: 'WEB-12', trackerKey: null },
  run,
  incident: null,
  hasGitHost: true,
  proposedStory: null,
} satisfies Matter
type Some = { [F in keyof Matter]?: unknown }
const matterOf = (some: Some) => ({ ...aboutRun, ...some }) as Matter
const proposal = { ...aboutRun, kind: 'maintenance_proposal', story: null, run: null }

const says = (action: DecisionOption['action'], matter: Some = {}, label = 'Keep the scope') =>
  consequenceOf({ action, label }, matterOf(matter))
const proposes = (action: DecisionOption['action'], matter: Some = {}) =>
  says(action, { ...proposal, ...matter })

test('each of the thirteen actions says what it does to this run, story and pull request', () => {
  const said = Object.fromEntries(optionActions.map((action) => [action, says(action)]))
  assert.deepEqual(said, {
    approve_plan: 'The plan is approved, and implementation of WEB-12 starts.',
    request_changes: 'The run continues with your note as input. Without one, it’s told “Keep the scope”.',
    allow_once: 'The requested access is allowed for run-7k2q only, and the run continues.',
    reject: 'The run ends, and WEB-12 returns to Backlog with your note.',
    raise_budget: 'The run’s budget goes from €4 to €8, and the run continues.',
    abandon: 'The run ends, and WEB-12 returns to Backlog.',
    revert_spec_and_retry: 'The acceptance spec is restored, and attempt 3 starts.',
    retry: 'Attempt 3 starts with your note as guidance.',
    answer: '“Keep the scope” goes to the coding agent with your note, and the run continues.',
    merge: 'Pull request #12 is merged. WEB-12 is done once the main branch is green.',
    open_revert: 'A pull request to revert #12 is opened, and the run fails.',
    accept_proposal: 'The proposal becomes a requirement of Checkout Web, to be drafted as stories.',
    decline_proposal: 'The merge stays, other merges can go ahead, and WEB-12 is done.',
  })
})

test('an option that only announces guidance asks for it', () => {
  for (const label of ['Request changes', 'Request changes to the plan', 'Continue with my guidance'])
    assert.equal(
      says('request_changes', {}, label),
      'The run continues with your note as input. Add a note to say what to change.',
    )
})

test('without a git host an answer that needs one says what is left to people', () => {
  const hasGitHost = false
  assert.equal(
    says('merge', { hasGitHost }),
    'No git host is connected, so the run fails and someone has to merge pull request #12 manually.',
  )
  assert.equal(
    says('open_revert', { hasGitHost }),
    'No git host is connected, so the run fails and someone has to revert the merge manually.',
  )
  assert.equal(
    says('open_revert', { hasGitHost, run: null, incident: 'inc-7k2q' }),
    'No git host is connected, so someone has to revert the merge manually.',
  )
})

test('approving a changed scope says that the wider plan takes over', () => {
  assert.match(says('approve_plan', { kind: 'scope_change' }), /^The wider plan replaces the old one/)
})

test('changes asked of a plan make a new plan', () => {
  assert.match(says('request_changes', { run: { ...run, stage: 'planning' } }), /^The run plans again/)
})

test('an exception names its paths', () => {
  const allowing = (...paths: string[]) => says('allow_once', { kind: 'policy_exception', facts: { paths } })
  assert.match(allowing('infra/a.tf'), /^infra\/a\.tf is allowed/)
  assert.match(allowing('infra/a.tf', 'b'), /^infra\/a\.tf and b are allowed/)
  assert.match(allowing('infra/a.tf', 'b', 'c'), /^infra\/a\.tf and 2 other paths are allowed/)
})

test('a note that is also written into the tracker is announced', () => {
  const story = { key: 'WEB-12', trackerKey: 'SHOP-1' }
  assert.match(says('reject', { story }), /with your note, which is also added to SHOP-1\.$/)
  assert.doesNotMatch(says('abandon', { story }), /SHOP-1/)
})

test('a budget is raised as often as it takes to cover what is spent', () => {
  assert.match(says('raise_budget', { run: { ...run, costMicros: 9_000_000 } }), /from €4 to €16, and/)
  assert.match(says('raise_budget', { run: { ...run, budgetCents: 450 } }), /from €4\.50 to €9, and/)
})

test('another attempt after a red main says that the merge stays for now', () => {
  assert.match(says('retry', { kind: 'revert_approval' }), /^The merge stays for now, and attempt 3 starts/)
})

test('a revert for an incident is of the suspected merge', () => {
  const matter = { kind: 'revert_approval', incident: 'inc-4m8t' } as const
  assert.equal(
    proposes('open_revert', matter),
    'A pull request to revert the suspected merge is opened for inc-4m8t.',
  )
  assert.equal(proposes('decline_proposal', matter), 'The suspected merge stays.')
})

test('an accepted proposal says where its story goes', () => {
  const story = (isReady: boolean, isExpedite = false) =>
    proposes('accept_proposal', { proposedStory: { isReady, isExpedite } })
  assert.equal(story(true), 'A story is filed in Ready. Checkout Web starts on it when it has a free slot.')
  assert.equal(
    story(false),
    'A story is filed in Refining. It needs refining before Checkout Web can start on it.',
  )
  assert.match(story(true, true), /^An expedite story is filed in Ready/)
})

test('a declined proposal says what is left as it is', () => {
  assert.equal(proposes('decline_proposal'), 'The proposal is declined and won’t be made again.')
  assert.equal(
    proposes('decline_proposal', { incident: 'inc-4m8t' }),
    'Nothing is started. inc-4m8t is left to the person on call, and no one is asked about this alert again.',
  )
  assert.match(proposes('decline_proposal', { kind: 'main_red_incident' }), /Merges stay on hold/)
})

test('the kinds about numbers show them', () => {
  assert.deepEqual(numbersOf(matterOf({ kind: 'budget_stop' })), [
    { label: 'Spent', value: '€4.10' },
    { label: 'Budget', value: '€4' },
    { label: 'Raised budget', value: '€8' },
  ])
  assert.deepEqual(numbersOf(matterOf({ kind: 'merge_approval', facts: { limit: 200 } })), [
    { label: 'Changed lines', value: '321' },
    { label: 'Files', value: '7' },
    { label: 'Auto-merge limit', value: '200 lines' },
    { label: 'Pull request', value: '#12' },
  ])
  assert.deepEqual(numbersOf(aboutRun), [])
})
