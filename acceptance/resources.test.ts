import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { AuditEntry } from '../contract/audit.ts'
import { Decision } from '../contract/decision.ts'
import { Run, RunListed } from '../contract/run.ts'
import { Story, StoryListed } from '../contract/story.ts'
import { Team } from '../contract/team.ts'
import { demoToLookAt, type Page } from './demo.ts'

/**
 * "Resources and their fields". Every resource of the demo is checked twice: against the contract that the product
 * publishes, and against the field lists of the specification, typed out here, so that the contract is checked as well.
 */

const demo = await demoToLookAt()

/** Values that were seen at any moment: a run that is queued now is at work a moment later. */
const seen = { statuses: new Set<string>(), stages: new Set<string>() }

const { teams, storiesListed, stories, runsListed, runs, decisions, entries } = await demo.still(async () => {
  const teams = (await demo.get<Page<Team>>('/v1/teams')).data
  const runsListed = await demo.all<RunListed>('/v1/runs')
  for (const { status, stage } of runsListed) {
    seen.statuses.add(status)
    seen.stages.add(stage)
  }
  const storiesListed = (
    await Promise.all(teams.map(({ slug }) => demo.all<StoryListed>(`/v1/teams/${slug}/stories?drafts=true`)))
  ).flat()
  return {
    teams,
    runsListed,
    storiesListed,
    stories: await Promise.all(storiesListed.map(({ key }) => demo.get<Story>(`/v1/stories/${key}`))),
    runs: await Promise.all(runsListed.map(({ key }) => demo.get<Run>(`/v1/runs/${key}`))),
    decisions: await demo.all<Decision>('/v1/decisions'),
    entries: await demo.all<AuditEntry>('/v1/audit'),
  }
})

const runOf = new Map(runs.map((run) => [run.key, run]))
const storyOf = new Map(stories.map((story) => [story.key, story]))
const teamOf = new Map(teams.map((team) => [team.slug, team]))

/** Exactly these fields, in whatever order. */
function hasFields(value: unknown, fields: string[]): void {
  assert.ok(value !== null && typeof value === 'object')
  assert.deepEqual(Object.keys(value).sort(), [...fields].sort())
}

function fits(schema: TSchema, value: unknown): void {
  if (Check(schema, value)) return
  assert.fail(`${JSON.stringify(value)} does not fit: ${JSON.stringify([...Errors(schema, value)])}`)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const isoTimestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

function isTimestamp(value: unknown, name: string): void {
  assert.ok(typeof value === 'string', `${name} is ${value}`)
  assert.match(value, isoTimestamp, name)
  assert.ok(!Number.isNaN(Date.parse(value)), name)
}

function isTimestampOrNull(value: unknown, name: string): void {
  if (value !== null) isTimestamp(value, name)
}

/** Each value is one of the list, and the demo shows every one of the list. */
function takesAll<T>(found: T[], values: readonly T[]): void {
  assert.deepEqual([...new Set(found)].sort(), [...values].sort())
}

function takesOnly<T>(found: T[], values: readonly T[]): void {
  assert.deepEqual(
    [...new Set(found)].filter((value) => !values.includes(value)),
    [],
  )
}

const ascending = (moments: string[]) => moments.every((moment, at) => at === 0 || moments[at - 1]! <= moment)

test('the demo has enough of everything to check', () => {
  for (const [name, found] of Object.entries({ teams, stories, runs, decisions, entries })) {
    assert.ok(found.length >= 5, name)
  }
})

describe('Identifiers', () => {
  test('a team slug is lowercase words joined by hyphens', () => {
    for (const { slug } of teams) assert.match(slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.ok(teams.some(({ slug }) => slug.includes('-')))
  })

  test("a story key is the team's key prefix and a number", () => {
    for (const { key, team } of stories) {
      const [, prefix, number] = /^(.+)-([1-9][0-9]*)$/.exec(key) ?? []
      assert.equal(prefix, teamOf.get(team)?.keyPrefix, key)
      assert.ok(Number(number) > 0, key)
    }
  })

  test('a run key is run- and 4 characters', () => {
    for (const { key } of runs) assert.match(key, /^run-[a-z0-9]{4}$/)
  })

  test('a decision key is dec- and 4 characters', () => {
    for (const { key } of decisions) assert.match(key, /^dec-[a-z0-9]{4}$/)
  })

  test('an identifier names one thing in the workspace', () => {
    const all = [
      ...teams.map(({ slug }) => slug),
      ...[...stories, ...runs, ...decisions].map(({ key }) => key),
      ...[...teams, ...stories, ...entries].map(({ id }) => id),
    ]
    assert.equal(new Set(all).size, all.length)
  })

  test("the tracker's own issue key can differ from the story key", () => {
    const mirrored = stories.filter(({ tracker }) => tracker !== null)
    assert.ok(mirrored.length > 0)
    assert.ok(mirrored.some(({ key, tracker }) => tracker!.key !== key))
  })
})

describe('Team', () => {
  test('a team has exactly the fields of the specification', () => {
    for (const team of teams) {
      hasFields(team, [
        'id',
        'slug',
        'name',
        'description',
        'keyPrefix',
        'paused',
        'policy',
        'createdAt',
        'updatedAt',
      ])
      fits(Team, team)
    }
  })

  test('its fields have the types of the specification', () => {
    for (const team of teams) {
      assert.match(team.id, uuid)
      for (const text of [team.slug, team.name, team.keyPrefix]) assert.ok(typeof text === 'string' && text)
      assert.ok(team.description === null || typeof team.description === 'string')
      assert.equal(typeof team.paused, 'boolean')
      isTimestamp(team.createdAt, 'createdAt')
      isTimestampOrNull(team.updatedAt, 'updatedAt')
      if (team.updatedAt) assert.ok(ascending([team.createdAt, team.updatedAt]), team.slug)
    }
    assert.ok(teams.some(({ description }) => description === null))
    assert.ok(teams.some(({ updatedAt }) => updatedAt === null))
    assert.ok(teams.some(({ updatedAt }) => updatedAt !== null))
  })

  test('policy is null for a team without a policy', () => {
    assert.ok(teams.some(({ policy }) => policy === null))
    assert.ok(teams.some(({ policy }) => policy !== null))
  })

  test('paused is true while the team is paused', () => {
    assert.ok(teams.some(({ paused }) => paused))
    assert.ok(teams.some(({ paused }) => !paused))
    for (const { slug, paused, policy } of teams) {
      const lastWord = entries.find(
        ({ team, event }) => team === slug && (event === 'team_paused' || event === 'team_resumed'),
      )
      assert.equal(paused, lastWord?.event === 'team_paused', `the audit log on ${slug}`)
      if (policy) assert.equal(policy.pausedAt, paused ? lastWord?.timestamp : null, `pausedAt of ${slug}`)
    }
  })

  test('a policy summary has exactly the fields of the specification', () => {
    for (const { policy } of teams) {
      if (!policy) continue
      hasFields(policy, [
        'preset',
        'custom',
        'version',
        'executor',
        'maxConcurrency',
        'budgets',
        'planApproval',
        'mergePolicy',
        'pausedAt',
        'updatedAt',
      ])
      hasFields(policy.budgets, ['runCents', 'dayCents', 'monthCents'])
      assert.equal(typeof policy.custom, 'boolean')
      for (const number of [policy.version, policy.maxConcurrency]) assert.ok(Number.isInteger(number))
      for (const cents of Object.values(policy.budgets)) assert.ok(cents === null || Number.isInteger(cents))
      isTimestampOrNull(policy.pausedAt, 'pausedAt')
      isTimestamp(policy.updatedAt, 'updatedAt')
    }
  })

  test('a policy takes the values that the design gives it', () => {
    const policies = teams.flatMap(({ policy }) => policy ?? [])
    takesAll(
      policies.map(({ preset }) => preset),
      ['trial', 'supervised', 'balanced', 'autonomous'],
    )
    takesAll(
      policies.map(({ planApproval }) => planApproval),
      ['always', 'by_risk', 'never'],
    )
    takesAll(
      policies.map(({ mergePolicy }) => mergePolicy),
      ['manual', 'ask', 'auto_within_limits', 'auto'],
    )
    takesOnly(
      policies.map(({ executor }) => executor),
      ['claude_code', 'codex', 'gemini', 'opencode', 'copilot', 'command', 'scripted'],
    )
    takesAll(
      policies.map(({ custom }) => custom),
      [true, false],
    )
  })
})

const listedStoryFields = [
  'id',
  'key',
  'title',
  'team',
  'column',
  'draft',
  'readinessScore',
  'size',
  'complexity',
  'classOfService',
  'tracker',
  'createdAt',
  'updatedAt',
]

describe('Story', () => {
  test('a list element has exactly the fields of the specification', () => {
    for (const story of storiesListed) {
      hasFields(story, listedStoryFields)
      hasFields(story.column, ['id', 'name', 'role'])
      if (story.tracker) hasFields(story.tracker, ['platform', 'key', 'url'])
      fits(StoryListed, story)
    }
  })

  test('a single story adds description, acceptanceCriteria and runKeys, and changes nothing else', () => {
    for (const [at, story] of stories.entries()) {
      hasFields(story, [...listedStoryFields, 'description', 'acceptanceCriteria', 'runKeys'])
      fits(Story, story)
      const { description, acceptanceCriteria, runKeys, ...rest } = story
      assert.deepEqual(rest, storiesListed[at])
      assert.equal(typeof description, 'string')
      assert.ok(Array.isArray(acceptanceCriteria) && Array.isArray(runKeys))
    }
  })

  test('its fields have the types of the specification', () => {
    for (const story of stories) {
      assert.equal(typeof story.id, 'string')
      assert.ok(typeof story.title === 'string' && story.title)
      assert.ok(teamOf.has(story.team))
      assert.equal(typeof story.draft, 'boolean')
      assert.equal(typeof story.readinessScore, 'number')
      for (const field of Object.values(story.column)) assert.ok(typeof field === 'string' && field)
      if (story.tracker) for (const field of Object.values(story.tracker)) assert.ok(field)
      isTimestamp(story.createdAt, 'createdAt')
      isTimestamp(story.updatedAt, 'updatedAt')
      assert.ok(ascending([story.createdAt, story.updatedAt]))
    }
  })

  test('the role of its column is backlog, refining, ready, in_progress, review or done', () => {
    takesAll(
      stories.map(({ column }) => column.role),
      ['backlog', 'refining', 'ready', 'in_progress', 'review', 'done'],
    )
  })

  test('size, complexity and classOfService take the values that the design gives them', () => {
    takesOnly(
      stories.map(({ size }) => size),
      ['xs', 's', 'm', 'l', 'xl', null],
    )
    takesOnly(
      stories.map(({ complexity }) => complexity),
      ['low', 'medium', 'high', null],
    )
    takesOnly(
      stories.map(({ classOfService }) => classOfService),
      ['expedite', 'fixed_date', 'standard', 'intangible'],
    )
  })

  test('a readiness score of 100 means ready: every story in Ready has it, and some elsewhere do not', () => {
    const ready = stories.filter(({ column }) => column.role === 'ready')
    assert.ok(ready.length > 0)
    for (const { key, readinessScore } of ready) assert.equal(readinessScore, 100, key)
    for (const { readinessScore } of stories) assert.ok(readinessScore >= 0 && readinessScore <= 100)
    assert.ok(stories.some(({ readinessScore }) => readinessScore < 100))
  })

  test('an acceptance criterion is {id, text, status, verifiedAt}', () => {
    const criteria = stories.flatMap(({ acceptanceCriteria }) => acceptanceCriteria)
    assert.ok(criteria.length > 0)
    for (const criterion of criteria) {
      hasFields(criterion, ['id', 'text', 'status', 'verifiedAt'])
      isTimestampOrNull(criterion.verifiedAt, 'verifiedAt')
      assert.equal(criterion.verifiedAt === null, criterion.status === 'unverified')
    }
    takesOnly(
      criteria.map(({ status }) => status),
      ['unverified', 'passed', 'failed'],
    )
  })

  test('runKeys names the runs of the story, newest first, and each can be read', () => {
    for (const { key, runKeys } of stories) {
      const ofStory = runs.filter(({ story }) => story.key === key)
      assert.deepEqual(
        runKeys,
        ofStory.map((run) => run.key),
      )
      assert.ok(ascending(runKeys.map((run) => runOf.get(run)!.createdAt).reverse()))
    }
    assert.ok(stories.some(({ runKeys }) => runKeys.length > 1))
    assert.ok(stories.some(({ runKeys }) => runKeys.length === 0))
  })

  test('a draft that is not written to the tracker yet has no tracker issue', () => {
    assert.ok(stories.some(({ draft }) => draft))
    for (const { draft, key, tracker } of stories) if (draft) assert.equal(tracker, null, key)
  })
})

const listedRunFields = [
  'key',
  'team',
  'story',
  'status',
  'stage',
  'executor',
  'attempts',
  'costCents',
  'budgetCents',
  'failureClass',
  'pullRequest',
  'startedAt',
  'completedAt',
  'createdAt',
]

describe('Run', () => {
  test('a list element has exactly the fields of the specification', () => {
    for (const run of runsListed) {
      hasFields(run, listedRunFields)
      hasFields(run.story, ['key', 'title'])
      if (run.pullRequest) hasFields(run.pullRequest, ['url', 'number'])
      fits(RunListed, run)
    }
  })

  test('a single run adds attemptList, evidence and decisions, and changes nothing else', () => {
    for (const [at, run] of runs.entries()) {
      hasFields(run, [...listedRunFields, 'attemptList', 'evidence', 'decisions'])
      fits(Run, run)
      const { attemptList, evidence, decisions, ...rest } = run
      assert.deepEqual(rest, runsListed[at])
      assert.ok(Array.isArray(attemptList) && Array.isArray(decisions))
      assert.equal(typeof evidence, 'object')
    }
  })

  test('an element of attemptList has exactly the fields of the specification', () => {
    for (const { attemptList } of runs) {
      for (const attempt of attemptList) {
        hasFields(attempt, [
          'attempt',
          'status',
          'stage',
          'executor',
          'costCents',
          'failureClass',
          'error',
          'verification',
          'startedAt',
          'completedAt',
        ])
        isTimestampOrNull(attempt.startedAt, 'startedAt')
        isTimestampOrNull(attempt.completedAt, 'completedAt')
        assert.ok(attempt.error === null || typeof attempt.error === 'string')
      }
      assert.deepEqual(
        attemptList.map(({ attempt }) => attempt),
        attemptList.map((_, at) => at + 1),
      )
    }
  })

  test('status and stage are those of the latest attempt', () => {
    for (const { key, status, stage, attemptList } of runs) {
      const latest = attemptList.at(-1)
      assert.ok(latest, key)
      assert.deepEqual([status, stage], [latest.status, latest.stage], key)
    }
    assert.ok(
      runs.some(({ attemptList }) => attemptList.some(({ status }, _, all) => status !== all.at(-1)!.status)),
    )
  })

  test('attempts is the number of attempts and costCents the cost of all of them', () => {
    for (const { key, attempts, costCents, budgetCents, attemptList } of runs) {
      assert.equal(attempts, attemptList.length, key)
      assert.equal(
        costCents,
        attemptList.reduce((sum, attempt) => sum + attempt.costCents, 0),
        key,
      )
      for (const cents of [costCents, budgetCents]) assert.ok(Number.isInteger(cents), key)
    }
    assert.ok(runs.some(({ attempts }) => attempts > 1))
  })

  test('status and stage take the values that the design gives them', () => {
    takesAll(
      [...seen.statuses],
      ['queued', 'running', 'waiting', 'succeeded', 'failed', 'timed_out', 'stopped'],
    )
    takesAll([...seen.stages], ['planning', 'implementing', 'verifying', 'handing_off'])
  })

  test('failureClass is transient, persistent, policy, budget, gate, dependency, otherwise null', () => {
    takesAll(
      runs.map(({ failureClass }) => failureClass),
      ['transient', 'persistent', 'policy', 'budget', 'gate', 'dependency', null],
    )
    for (const { key, status, failureClass } of runs) {
      if (failureClass !== null) assert.ok(['failed', 'timed_out'].includes(status), key)
      if (status === 'failed') assert.notEqual(failureClass, null, key)
    }
  })

  test('pullRequest is an object (url, number) or null', () => {
    for (const { key, pullRequest } of runs) {
      if (!pullRequest) continue
      assert.ok(URL.canParse(pullRequest.url), key)
      assert.ok(Number.isInteger(pullRequest.number), key)
    }
    assert.ok(runs.some(({ pullRequest }) => pullRequest === null))
    assert.ok(runs.some(({ pullRequest }) => pullRequest !== null))
  })

  test('its timestamps are in order: created, started, completed', () => {
    const ended = ['succeeded', 'failed', 'timed_out', 'stopped']
    for (const { key, status, createdAt, startedAt, completedAt } of runs) {
      isTimestamp(createdAt, 'createdAt')
      isTimestampOrNull(startedAt, 'startedAt')
      isTimestampOrNull(completedAt, 'completedAt')
      assert.ok(ascending([createdAt, startedAt, completedAt].filter((moment) => moment !== null)), key)
      assert.equal(completedAt !== null, ended.includes(status), key)
    }
  })

  test('the evidence pack is present once the gates have run', () => {
    for (const { key, attemptList, evidence } of runs) {
      assert.equal(
        evidence !== null,
        attemptList.some(({ verification }) => verification !== null),
        key,
      )
    }
    assert.ok(runs.some(({ evidence }) => evidence === null))
    assert.ok(runs.some(({ evidence }) => evidence !== null))
  })

  test('its story can be read and its team is the team of the story', () => {
    for (const { key, team, story } of runs) {
      assert.equal(storyOf.get(story.key)?.title, story.title, key)
      assert.equal(storyOf.get(story.key)?.team, team, key)
    }
  })

  test('decisions names the decisions of the run by key, kind and status', () => {
    for (const run of runs) {
      for (const decision of run.decisions) hasFields(decision, ['key', 'kind', 'status'])
      const named = decisions
        .filter(({ runKey }) => runKey === run.key)
        .map(({ key, kind, status }) => ({ key, kind, status }))
      const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1)
      assert.deepEqual(run.decisions.toSorted(byKey), named.toSorted(byKey))
    }
    assert.ok(runs.some((run) => run.decisions.length > 1))
  })

  test('a run waits exactly while a decision of it is pending', () => {
    for (const { key, status, decisions } of runs) {
      assert.equal(
        decisions.some((decision) => decision.status === 'pending'),
        status === 'waiting',
        key,
      )
    }
  })
})

describe('Decision', () => {
  test('a decision has exactly the fields of the specification', () => {
    for (const decision of decisions) {
      hasFields(decision, [
        'key',
        'kind',
        'authority',
        'title',
        'body',
        'status',
        'recommendation',
        'options',
        'team',
        'story',
        'runKey',
        'resolution',
        'resolvedVia',
        'resolvedAt',
        'expiresAt',
        'createdAt',
      ])
      fits(Decision, decision)
    }
  })

  test('its kind is one of the fourteen, and the demo shows each', () => {
    takesAll(
      decisions.map(({ kind }) => kind),
      [
        'plan_approval',
        'policy_exception',
        'clarification',
        'budget_stop',
        'verification_failed',
        'gate_failure',
        'diff_guard',
        'repeated_gate_failure',
        'merge_approval',
        'revert_approval',
        'main_red_incident',
        'maintenance_proposal',
        'strategy_proposal',
        'scope_change',
      ],
    )
  })

  test('its status is pending, resolved, expired, cancelled or superseded', () => {
    takesAll(
      decisions.map(({ status }) => status),
      ['pending', 'resolved', 'expired', 'cancelled', 'superseded'],
    )
  })

  test('it carries 2 to 4 options {id, label, action, recommended}', () => {
    for (const { key, options } of decisions) {
      assert.ok(options.length >= 2 && options.length <= 4, key)
      assert.equal(new Set(options.map(({ id }) => id)).size, options.length, key)
      for (const option of options) {
        hasFields(option, ['id', 'label', 'action', 'recommended'])
        assert.ok(option.id && option.label)
        assert.equal(typeof option.recommended, 'boolean')
      }
    }
  })

  test('the action of an option is one of those in the specification', () => {
    takesOnly(
      decisions.flatMap(({ options }) => options.map(({ action }) => action)),
      [
        'approve_plan',
        'request_changes',
        'allow_once',
        'reject',
        'raise_budget',
        'abandon',
        'revert_spec_and_retry',
        'retry',
        'answer',
        'merge',
        'open_revert',
        'accept_proposal',
        'decline_proposal',
      ],
    )
  })

  test('recommendation is the id of the one option that is recommended', () => {
    for (const { key, recommendation, options } of decisions) {
      assert.deepEqual(
        options.filter(({ recommended }) => recommended).map(({ id }) => id),
        [recommendation],
        key,
      )
    }
  })

  test('authority is the least role that may answer: member, admin or owner', () => {
    takesAll(
      decisions.map(({ authority }) => authority),
      ['member', 'admin', 'owner'],
    )
  })

  test('title and body are texts; the body holds the reasoning', () => {
    for (const { key, title, body } of decisions) {
      assert.ok(typeof title === 'string' && title, key)
      assert.ok(typeof body === 'string' && body, key)
    }
  })

  test('resolution {optionId, note}, resolvedVia and resolvedAt are there once it is resolved, and only then', () => {
    for (const { key, status, options, resolution, resolvedVia, resolvedAt } of decisions) {
      if (status !== 'resolved') {
        assert.deepEqual([resolution, resolvedVia, resolvedAt], [null, null, null], key)
        continue
      }
      hasFields(resolution, ['optionId', 'note'])
      assert.ok(
        options.some(({ id }) => id === resolution?.optionId),
        key,
      )
      assert.ok(resolution?.note === null || typeof resolution?.note === 'string', key)
      isTimestamp(resolvedAt, 'resolvedAt')
    }
  })

  test('resolvedVia is app, slack, mcp or api', () => {
    takesAll(
      decisions.filter(({ status }) => status === 'resolved').map(({ resolvedVia }) => resolvedVia),
      ['app', 'slack', 'mcp', 'api'],
    )
  })

  test('its timestamps are in order, and a pending decision has not expired', () => {
    const now = new Date().toISOString()
    for (const { key, status, createdAt, resolvedAt, expiresAt } of decisions) {
      isTimestamp(createdAt, 'createdAt')
      isTimestampOrNull(expiresAt, 'expiresAt')
      if (resolvedAt) assert.ok(createdAt <= resolvedAt, key)
      if (expiresAt) assert.ok(createdAt < expiresAt, key)
      if (expiresAt && status === 'pending') assert.ok(now < expiresAt, key)
      if (expiresAt && status === 'expired') assert.ok(expiresAt <= now, key)
    }
  })

  test('team, story and runKey tell where it belongs, and can be read', () => {
    for (const { key, team, story, runKey } of decisions) {
      assert.ok(teamOf.has(team), key)
      if (story)
        assert.deepEqual([storyOf.get(story.key)?.title, storyOf.get(story.key)?.team], [story.title, team])
      if (!runKey) continue
      const run = runOf.get(runKey)
      assert.equal(run?.team, team, key)
      assert.equal(run?.story.key, story?.key, key)
    }
    assert.ok(decisions.some(({ runKey }) => runKey !== null))
  })

  test('a single decision is the same as in the list', async () => {
    // There are no answers here, so a decision stays as it was.
    for (const decision of decisions) {
      assert.deepEqual(await demo.get<Decision>(`/v1/decisions/${decision.key}`), decision)
    }
  })
})

describe('Audit entry', () => {
  test('an entry has exactly the fields of the specification', () => {
    for (const entry of entries) {
      hasFields(entry, ['id', 'timestamp', 'actor', 'team', 'runKey', 'event', 'result', 'entity', 'details'])
      hasFields(entry.actor, ['type', 'name', 'userId'])
      hasFields(entry.entity, ['type', 'id', 'name'])
      fits(AuditEntry, entry)
      isTimestamp(entry.timestamp, 'timestamp')
    }
  })

  test('the actor is a person, the service or the system, and only a person has a user id', () => {
    takesAll(
      entries.map(({ actor }) => actor.type),
      ['human', 'service', 'system'],
    )
    for (const { actor } of entries) {
      assert.ok(actor.name)
      assert.equal(actor.userId !== null, actor.type === 'human')
    }
  })

  test('result is success, failure or denied', () => {
    takesAll(
      entries.map(({ result }) => result),
      ['success', 'failure', 'denied'],
    )
  })

  test('team and run can be read', () => {
    for (const { team, runKey } of entries) {
      if (team) assert.ok(teamOf.has(team), team)
      if (runKey) assert.equal(runOf.get(runKey)?.team, team, runKey)
    }
    assert.ok(entries.some(({ runKey }) => runKey !== null))
  })

  test('every event that the specification names is in the demo', () => {
    const events = new Set<string>(entries.map(({ event }) => event))
    const named = [
      'decision_resolved',
      'policy_changed',
      'team_paused',
      'team_resumed',
      'run_state_changed',
      'story_written',
      'service_changed',
      'signal_source_changed',
      'signal_received',
      'incident_opened',
      'incident_updated',
      'incident_resolved',
      'alert_updated_in_source',
    ]
    assert.deepEqual(
      named.filter((event) => !events.has(event)),
      [],
    )
  })

  test('every answer is recorded once, with person and channel', () => {
    for (const { key, status, resolvedVia, resolvedAt } of decisions) {
      const replies = entries.filter(
        ({ event, entity }) => event === 'decision_resolved' && entity.id === key,
      )
      assert.equal(replies.length, status === 'resolved' ? 1 : 0, key)
      for (const { actor, details, timestamp } of replies) {
        assert.equal(actor.type, 'human', key)
        assert.equal(details.channel, resolvedVia, key)
        assert.equal(timestamp, resolvedAt, key)
      }
    }
  })

  test('every export is recorded with who, when, format and date range', () => {
    const exports = entries.filter(({ event }) => event === 'audit_exported')
    assert.ok(exports.length > 0)
    for (const { id, actor, details } of exports) {
      assert.equal(actor.type, 'human', id)
      assert.ok(details.format === 'csv' || details.format === 'json', id)
      assert.ok('from' in details && 'to' in details, `the date range of ${id}: ${JSON.stringify(details)}`)
    }
  })
})

describe('API token', () => {
  test('no resource shows a token: at most its prefix, the first 11 characters', () => {
    const shown = JSON.stringify([teams, stories, runs, decisions, entries])
    for (const token of Object.values(demo.tokens)) assert.ok(!shown.includes(token))
    assert.ok(shown.includes(`"${demo.tokens.owner.slice(0, 11)}"`))
  })
})
