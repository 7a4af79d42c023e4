import { createHmac, randomUUID } from 'node:crypto'
import { patienceMs } from '../patience.ts'
import type { GithubDouble } from './github.ts'
import type { GithubIssues } from './github-issues.ts'
import type { DoubleProject, GitlabDouble } from './gitlab.ts'
import type { GitlabIssues } from './gitlab-issues.ts'
import type { DoubleJiraProject, JiraDouble } from './jira.ts'
import type { JiraIssues } from './jira-issues.ts'
import type { DoubleLinearTeam, LinearDouble } from './linear.ts'
import type { LinearIssues } from './linear-issues.ts'

/** What one webhook sends: where to, and with which headers and body. */
interface Sent {
  url: string
  headers: Record<string, string>
  body: string
}

/**
 * Sends what the webhooks of a double bring, signed as the tool signs it, to every hook that was created there. Like
 * the tools it does not try again: a sweep makes up for what is lost.
 */
export class Hooks {
  /** The status of every response; 0: there was none. */
  readonly answers: number[] = []
  readonly #underWay = new Set<Promise<unknown>>()

  send({ url, headers, body }: Sent): void {
    const sent = fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(patienceMs),
    })
      .then(async (response) => {
        await response.arrayBuffer()
        this.answers.push(response.status)
      })
      .catch(() => this.answers.push(0))
      .finally(() => this.#underWay.delete(sent))
    this.#underWay.add(sent)
  }

  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }
}

const hex = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex')

export function hooksOfGithub(double: GithubDouble, name: string, issues: GithubIssues): Hooks {
  const hooks = new Hooks()
  const { id } = double.repositories.find((one) => one.full_name === name)!
  issues.changed = (number, action) => {
    const repository = { id, full_name: name }
    const { title } = issues.get(number)
    const body = JSON.stringify({ action, issue: { number, title }, repository })
    const configs = (double.hooks.get(name) ?? []).map(({ config }) => config)
    // An app has one address for all repositories.
    for (const { url, secret } of double.appHook ? [...configs, double.appHook] : configs)
      hooks.send({
        url: url!,
        body,
        headers: {
          'x-github-event': 'issues',
          'x-github-delivery': randomUUID(),
          'x-hub-signature-256': `sha256=${hex(secret!, body)}`,
        },
      })
  }
  return hooks
}

/** As version 19 signs: by the Standard Webhooks. */
export function hooksOfGitlab(double: GitlabDouble, project: DoubleProject, issues: GitlabIssues): Hooks {
  const hooks = new Hooks()
  issues.changed = (iid) => {
    const body = JSON.stringify({ object_kind: 'issue', object_attributes: { iid }, project })
    for (const { url, signing_token: secret } of double.hooks.get(project.id) ?? []) {
      const [id, at] = [randomUUID(), `${Math.floor(Date.now() / 1000)}`]
      const key = Buffer.from(`${secret}`.replace(/^whsec_/, ''), 'base64')
      const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
      hooks.send({
        url: `${url}`,
        body,
        headers: {
          'x-gitlab-event': 'Issue Hook',
          'webhook-id': id,
          'webhook-timestamp': at,
          'webhook-signature': `v1,${signature}`,
        },
      })
    }
  }
  return hooks
}

export function hooksOfJira(double: JiraDouble, project: DoubleJiraProject, issues: JiraIssues): Hooks {
  const hooks = new Hooks()
  issues.changed = (id) => {
    const issue = { id, key: issues.get(id).key, fields: { project } }
    const body = JSON.stringify({ webhookEvent: 'jira:issue_updated', timestamp: Date.now(), issue })
    for (const { url, secret } of double.hooks)
      hooks.send({
        url: `${url}`,
        body,
        headers: {
          'x-hub-signature': `sha256=${hex(`${secret}`, body)}`,
          'x-atlassian-webhook-identifier': randomUUID(),
        },
      })
  }
  return hooks
}

export function hooksOfLinear(double: LinearDouble, team: DoubleLinearTeam, issues: LinearIssues): Hooks {
  const hooks = new Hooks()
  issues.changed = (id) => {
    const body = JSON.stringify({
      action: 'update',
      type: 'Issue',
      data: { id, teamId: team.id },
      webhookTimestamp: Date.now(),
    })
    for (const { url, secret } of double.webhooks)
      hooks.send({
        url: `${url}`,
        body,
        headers: {
          'linear-signature': hex(`${secret}`, body),
          'linear-delivery': randomUUID(),
          'linear-event': 'Issue',
        },
      })
  }
  return hooks
}
