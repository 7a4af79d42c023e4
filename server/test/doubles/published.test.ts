import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  CommentSchema,
  IssueSchema,
  PageOfCommentsSchema,
  ProjectSchema,
  SearchAndReconcileRequestSchema,
  SearchAndReconcileResultsSchema,
  TransitionsSchema,
} from 'jira.js/cloud'
import type { TrackerProject } from '../../domain/ports/tracker.ts'
import { callerFor } from '../../integrations/connections/call.ts'
import { jiraConnector } from '../../integrations/connections/jira.ts'
import { trackersFor } from '../../integrations/trackers/index.ts'
import { TestClock } from '../clock.ts'
import { JiraDouble } from './jira.ts'
import { JiraIssues } from './jira-issues.ts'

interface Schema {
  safeParse(value: unknown): {
    success: boolean
    error?: { issues: { path: PropertyKey[]; message: string }[] }
  }
}

/** What Jira publishes about its cloud, as jira.js has it. Bodies and descriptions are documents there, and words in v2. */
const jiraAnswers: [RegExp, Schema][] = [
  [/^POST .*\/search\/jql$/, SearchAndReconcileResultsSchema],
  [/^GET .*\/comment$/, PageOfCommentsSchema],
  [/^(GET|POST|PUT) .*\/comment(\/\d+)?$/, CommentSchema],
  [/^GET .*\/transitions$/, TransitionsSchema],
  [/^GET .*\/issue\/[^/]+$/, IssueSchema],
  [/^GET .*\/project\/[A-Z]+$/, ProjectSchema],
]
const jiraRequests: [RegExp, Schema][] = [[/^POST .*\/search\/jql$/, SearchAndReconcileRequestSchema]]

test('Jira: what the double answers, and what we ask, is what Jira’s own description takes', async () => {
  const clock = new TestClock()
  const double = await new JiraDouble().start()
  after(() => double.stop())
  double.addAccount({ email: 'bot@example.com', token: 'right' })
  const project = double.addProject('WEB', 'Web')
  const issues = new JiraIssues(double, project, clock)
  const wrong: string[] = []
  const held = new Set<Schema>()
  const hold = (of: [RegExp, Schema][], what: string, value: unknown) => {
    const [, schema] = of.find(([pattern]) => pattern.test(what)) ?? []
    if (!schema) return
    held.add(schema)
    const { error } = schema.safeParse(withoutBodies(value))
    for (const { path, message } of error?.issues ?? []) wrong.push(`${what}: ${path.join('.')}: ${message}`)
  }
  double.answered = (request, { status = 200, json }) => {
    const what = `${request.method} ${request.path}`
    if (status < 300 && json !== undefined) hold(jiraAnswers, what, json)
    if (request.body !== undefined) hold(jiraRequests, what, request.body)
  }
  const call = callerFor({ allow: ['127.0.0.1'], clock })
  const connection = {
    ...{ id: 'c', workspaceId: 'w', kind: 'jira' as const, name: 'Jira', baseUrl: double.url, account: null },
    credentials: { email: 'bot@example.com', token: 'right' },
  }
  await jiraConnector(call).check(connection)
  const at: TrackerProject = { connection, project, label: null }
  const tracker = trackersFor(call, clock).jira
  const blocker = issues.open({ summary: 'Lay the ground' })
  const wish = {
    token: tracker.token('k'),
    title: 'Round',
    description: 'Down.',
    block: 'Size: M',
    look: true,
  }
  const made = await tracker.create(at, wish)
  issues.block(made.id, blocker)
  await tracker.changed(at, null)
  await tracker.openIds(at, null)
  await tracker.update(at, made, { title: 'Round down', block: 'Size: L' })
  await tracker.move(at, made, '2', [])
  await tracker.comment(at, made.id, { token: tracker.token('c'), text: 'Soon.', ref: null, look: true })
  issues.edit(made.id, {
    comments: [
      ...issues.get(made.id).comments,
      ...Array.from({ length: 30 }, (_, n) => ({ id: `9${n}`, author: 'ada', body: 'Word' })),
    ],
  })
  assert.deepEqual((await tracker.fetch(at, made.id))?.blockedBy, ['WEB-1'])
  assert.deepEqual(wrong, [])
  assert.equal(held.size, jiraAnswers.length + jiraRequests.length)
})

/** Version 2 of the API has wiki markup where the description, which is of version 3, has documents. */
const withoutBodies = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, one) =>
    key === 'body' && typeof one === 'string' ? undefined : one,
  )
