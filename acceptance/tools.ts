import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { gitIn, makeRepository } from '../server/test/doubles/git-repository.ts'
import type { GitBehind } from '../server/test/doubles/git-server.ts'
import { type GithubSite, githubSite } from '../server/test/doubles/sites/github.ts'
import { gitlabSite } from '../server/test/doubles/sites/gitlab.ts'
import { jiraSite } from '../server/test/doubles/sites/jira.ts'
import { linearSite } from '../server/test/doubles/sites/linear.ts'
import type { Site } from '../server/test/doubles/sites/site.ts'
import { afterwards, temporaryFolder } from './demo.ts'
import type { Server } from './server.ts'

/** The outside tools and the runner around a server, and an administrator who calls what the app calls. */

const root = path.resolve(import.meta.dirname, '..')
const labels = path.join(root, 'demo', 'halden-parcels', 'labels')

const description =
  'Drivers weigh parcels again because the label does not say what they weigh. Print the weight in kilograms with one digit, on a line of its own, at the end.'
const criteria = [
  'A label of a parcel with 2,400 g ends with the line "2.4 kg".',
  'A label without a weight looks as it did before.',
]
const demonstrate = 'node src/print.js --grams 2400\nnode src/print.js'

/** An issue as a person writes it who knows what the team needs. */
const issue = {
  title: 'Print the weight on the label',
  text: `${description}\n\n### Acceptance criteria\n\n${criteria.map((one) => `- ${one}`).join('\n')}\n\n### Demonstrate\n\n\`\`\`sh\n${demonstrate}\n\`\`\`\n\n### Sizing\n\n- Size: XS`,
}
const inWiki = {
  title: issue.title,
  text: `${description}\n\nh3. Acceptance criteria\n\n${criteria.map((one) => `* ${one}`).join('\n')}\n\nh3. Demonstrate\n\n{code:sh}\n${demonstrate}\n{code}\n\nh3. Sizing\n\n* Size: XS`,
}
/** The same, written here. */
export const story = {
  title: issue.title,
  description,
  acceptanceCriteria: criteria,
  demonstrate: `\`\`\`sh\n${demonstrate}\n\`\`\``,
  size: 'xs',
}

/** Where a team's stories and code come from, and what stands there. */
export interface Way {
  name: string
  team: { name: string; slug: string; keyPrefix: string }
  /** Null: the built-in tracker. */
  tracker: Site | null
  /** Null: a folder on the server. */
  host: Site | null
  repository: string
  git: GitBehind
  issue: typeof issue
}

export interface Tools {
  /** Signs in as an app; the others as people do. */
  github: Way & { tracker: GithubSite; app: { id: string; installation: string; privateKey: string } }
  others: Way[]
  gitFolder: string
}

export async function startTools(): Promise<Tools> {
  const gitFolder = await temporaryFolder()
  const repository = async (name: string) =>
    makeRepository(gitFolder, name, {
      files: path.join(labels, 'repository'),
      message: 'Labels as plain text',
    })
  const stopping = <S extends Site>(site: S): S => {
    afterwards(() => site.stop())
    return site
  }
  const atGithub = async (name: string) => {
    const git = gitIn(await repository(name))
    return {
      git,
      site: stopping(await githubSite({ repository: `halden/${name}`, git, token: `ghp_${name}` })),
    }
  }
  const [own, forJira, forLinear] = [
    await atGithub('labels'),
    await atGithub('jira-labels'),
    await atGithub('linear-labels'),
  ]
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const permissions = { contents: 'write', issues: 'write', pull_requests: 'write', checks: 'write' }
  own.site.double.app = {
    id: '42',
    publicKey,
    installations: [{ id: 7, app_slug: 'signalbox', permissions }],
  }
  const gitlabGit = gitIn(await repository('gitlab-labels'))
  const gitlab = stopping(await gitlabSite({ project: 'halden/gitlab-labels', git: gitlabGit }))
  const jira = stopping(await jiraSite({ name: 'Depot' }))
  const linear = stopping(await linearSite({ name: 'Notices' }))
  const localGit = gitIn(await repository('local-labels'))
  return {
    gitFolder,
    github: {
      ...{ name: 'GitHub', tracker: own.site, host: own.site, repository: 'halden/labels', git: own.git },
      ...{ team: { name: 'Labels', slug: 'labels', keyPrefix: 'LAB' }, issue },
      app: { id: '42', installation: '7', privateKey },
    },
    others: [
      {
        ...{ name: 'GitLab', tracker: gitlab, host: gitlab, repository: 'halden/gitlab-labels' },
        ...{ git: gitlabGit, team: { name: 'At GitLab', slug: 'at-gitlab', keyPrefix: 'GLB' }, issue },
      },
      {
        ...{ name: 'Jira with GitHub', tracker: jira, host: forJira.site, repository: 'halden/jira-labels' },
        ...{ git: forJira.git, team: { name: 'At Jira', slug: 'at-jira', keyPrefix: 'JIR' }, issue: inWiki },
      },
      {
        ...{ name: 'Linear with GitHub', tracker: linear, host: forLinear.site },
        ...{ repository: 'halden/linear-labels', git: forLinear.git, issue },
        team: { name: 'At Linear', slug: 'at-linear', keyPrefix: 'LIN' },
      },
      {
        ...{ name: 'the built-in tracker', tracker: null, host: null, repository: localGit.bare },
        ...{ git: localGit, team: { name: 'Built in', slug: 'built-in', keyPrefix: 'OWN' }, issue },
      },
    ],
  }
}

export const owner = {
  name: 'Ada Example',
  email: 'ada@example.com',
  password: 'a password of some length',
  workspace: { name: 'Acme Parcels', slug: 'acme-parcels' },
}

export type Operate = <T = unknown>(operation: string, input?: object) => Promise<T>

/** Sets the server up and returns what the app calls, with the owner's session. */
export async function setUp({ url, setupCode }: Server): Promise<{ read: Operate; write: Operate }> {
  const answer = await fetch(new URL('/api/setup', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code: setupCode, ...owner }),
  })
  assert.ok(answer.ok, await answer.text())
  const cookie = answer.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ')
  const ask = async (operation: string, init: RequestInit, query = '') => {
    const response = await fetch(new URL(`/api/w/${owner.workspace.slug}/${operation}${query}`, url), {
      ...init,
      headers: { cookie, origin: url, 'content-type': 'application/json' },
    })
    const text = await response.text()
    assert.ok(response.ok, `${operation}: ${response.status} ${text}`)
    return text ? JSON.parse(text) : null
  }
  return {
    read: (operation, input = {}) =>
      ask(operation, {}, `?${new URLSearchParams(input as Record<string, string>)}`),
    write: (operation, input = {}) => ask(operation, { method: 'POST', body: JSON.stringify(input) }),
  }
}

/** The runner as an operator starts it, with the scripted agent of the demo. */
export async function startRunner(url: string, token: string, gitFolder: string): Promise<void> {
  const data = await temporaryFolder()
  const runner: ChildProcess = spawn(
    path.join(root, 'node_modules', '.bin', 'node'),
    [
      ...['runner/main.ts', '--url', url, '--name', 'Acceptance', '--data', data, '--slots', '3'],
      ...['--agents', `scripted=${path.join(labels, 'script.json')}`, '--git-folders', gitFolder],
    ],
    {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: data, SERVICE_API_KEY: token },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  afterwards(async () => {
    if (runner.exitCode !== null || runner.signalCode !== null) return
    const ended = once(runner, 'exit')
    runner.kill('SIGTERM')
    runner.kill('SIGINT')
    await ended
  })
}
