import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { Connector } from '../../../domain/ports/connector.ts'
import { githubProof } from './github.ts'
import { gitlabProof } from './gitlab.ts'
import { jiraProof } from './jira.ts'
import { linearProof } from './linear.ts'

const now = new Date('2026-11-16T02:00:00Z')
const seconds = now.getTime() / 1000
const hex = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex')
const key = Buffer.alloc(32, 7)
const whsec = `whsec_${key.toString('base64')}`
const standard = (id: string, at: number, body: string) =>
  `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`

interface Sent {
  proof: Connector['proof']
  secret: string
  body: string
  headers: Record<string, string>
  id: string
  event: string
}

const issue = '{"issue":{"number":1}}'
const linearBody = JSON.stringify({ type: 'Issue', webhookTimestamp: now.getTime() - 30_000 })
const jiraBody = JSON.stringify({ webhookEvent: 'jira:issue_updated', timestamp: now.getTime() })

/** A right delivery of each tool, as its documentation describes it. */
const right: Record<string, Sent> = {
  GitHub: {
    ...{ proof: githubProof, secret: 'It’s a secret', body: issue, id: 'guid-1', event: 'issues' },
    headers: {
      'x-hub-signature-256': `sha256=${hex('It’s a secret', issue)}`,
      'x-github-delivery': 'guid-1',
      'x-github-event': 'issues',
    },
  },
  'GitLab, signed': {
    ...{ proof: gitlabProof, secret: whsec, body: issue, id: 'msg-1', event: 'Issue Hook' },
    headers: {
      'webhook-id': 'msg-1',
      'webhook-timestamp': `${seconds}`,
      'webhook-signature': `v1,AAAA ${standard('msg-1', seconds, issue)}`,
      'x-gitlab-event': 'Issue Hook',
    },
  },
  'GitLab, by token': {
    ...{ proof: gitlabProof, secret: whsec, body: issue, id: 'key-1', event: 'Issue Hook' },
    headers: {
      // These come from version 19 on whether it is signed or not.
      'webhook-id': 'key-1',
      'webhook-timestamp': `${seconds}`,
      'x-gitlab-token': whsec,
      'idempotency-key': 'key-1',
      'x-gitlab-event': 'Issue Hook',
    },
  },
  Jira: {
    ...{
      proof: jiraProof,
      secret: 's'.repeat(32),
      body: jiraBody,
      id: 'jira-1',
      event: 'jira:issue_updated',
    },
    headers: {
      'x-hub-signature': `sha256=${hex('s'.repeat(32), jiraBody)}`,
      'x-atlassian-webhook-identifier': 'jira-1',
    },
  },
  Linear: {
    ...{ proof: linearProof, secret: 'lin_wh_1', body: linearBody, id: 'uuid-1', event: 'Issue' },
    headers: {
      'linear-signature': hex('lin_wh_1', linearBody),
      'linear-delivery': 'uuid-1',
      'linear-event': 'Issue',
    },
  },
}

const proven = ({ proof, secret, body, headers }: Sent, at = now) =>
  proof({ headers, body: Buffer.from(body) }, secret, at)

for (const [tool, sent] of Object.entries(right)) {
  test(`${tool}: a right proof brings the sender's id and event; any other is none`, () => {
    assert.deepEqual(proven(sent), { id: sent.id, event: sent.event })
    assert.equal(proven({ ...sent, secret: 'another secret' }), null)
    assert.equal(proven({ ...sent, headers: {} }), null)
    if (tool !== 'GitLab, by token') assert.equal(proven({ ...sent, body: `${sent.body} ` }), null)
    for (const name of Object.keys(sent.headers).filter((one) => /signature|token/.test(one)))
      for (const wrong of ['', 'sha256=', 'v1,', `${sent.headers[name]}0`, 'x'.repeat(600)])
        assert.equal(proven({ ...sent, headers: { ...sent.headers, [name]: wrong } }), null)
  })
}

test('where the time is signed, an old delivery is none', () => {
  const later = new Date(now.getTime() + 10 * 60_000)
  assert.equal(proven(right['GitLab, signed']!, later), null)
  assert.equal(proven(right.Linear!, later), null)
})

test('a GitLab delivery that carries a signature never falls back to its token', () => {
  const sent = right['GitLab, by token']!
  assert.equal(proven({ ...sent, headers: { ...sent.headers, 'webhook-signature': 'v1,AAAA' } }), null)
  assert.equal(proven({ ...sent, headers: { ...sent.headers, 'webhook-signature': '' } }), null)
})
