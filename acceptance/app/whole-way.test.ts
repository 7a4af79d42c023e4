import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { AuditEntry } from '../../contract/audit.ts'
import type { Decision } from '../../contract/decision.ts'
import type { Run } from '../../contract/run.ts'
import type { Story, StoryListed } from '../../contract/story.ts'
import type { Site, SiteIssue } from '../../server/test/doubles/sites/site.ts'
import { until } from '../demo.ts'
import { type Server, startServer } from '../server.ts'
import { type Operate, owner, setUp, startRunner, startTools, story, type Tools, type Way } from '../tools.ts'
import { accessibilityFaults, assertQuiet, openTab, openWindow, type Tab, withoutBrowser } from './browser.ts'

/**
 * From an empty workspace to an issue that is closed with its evidence: the server, the runner and git are real, the
 * tools are doubles. GitHub in the browser, as a person does it; the others by what the app calls.
 */
describe('from connecting a tool to a merged change and a closed issue', { concurrency: 5 }, () => {
  let server: Server
  let tools: Tools
  let [read, write]: Operate[] = []
  let token: string

  before(async () => {
    tools = await startTools()
    server = await startServer({
      CONNECTION_ALLOW: '127.0.0.1',
      GIT_ALLOW: `127.0.0.1,${tools.gitFolder}`,
      RATE_LIMIT_PER_MINUTE: '100000',
    })
    ;({ read, write } = await setUp(server))
    const made = await write!<{ token: string }>('tokens.create', {
      ...{ name: 'Runner', permissions: ['read'], expires: '30d' },
    })
    token = made.token
    await startRunner(server.url, token, tools.gitFolder)
  })

  async function get<T>(path: string): Promise<T> {
    const response = await fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${token}` } })
    assert.equal(response.status, 200, path)
    return (await response.json()) as T
  }

  const storiesOf = async ({ team }: Way) =>
    (await get<{ data: StoryListed[] }>(`/v1/teams/${team.slug}/stories`)).data

  /** The one story of the team that mirrors the issue of the play. */
  async function storyOf(way: Way): Promise<StoryListed> {
    let found: StoryListed | undefined
    await until(`${way.name}: the issue is a story`, async () => {
      found = (await storiesOf(way)).find(({ title }) => title === story.title)
      return found !== undefined
    })
    return found!
  }

  async function runOf(key: string): Promise<string> {
    let run: string | undefined
    await until(`${key} is taken up`, async () => {
      run = (await get<Story>(`/v1/stories/${key}`)).runKeys[0]
      return run !== undefined
    })
    return run!
  }

  async function asked(run: string, kind: Decision['kind']): Promise<string> {
    let found: string | undefined
    await until(`${run} asks about ${kind}`, async () => {
      const { decisions, status, attemptList } = await get<Run>(`/v1/runs/${run}`)
      assert.notEqual(status, 'failed', JSON.stringify(attemptList))
      found = decisions.find((one) => one.kind === kind && one.status === 'pending')?.key
      return found !== undefined
    })
    return found!
  }

  const auditOf = async (run: string) =>
    (await get<{ data: AuditEntry[] }>(`/v1/audit?run=${run}&limit=100`)).data.map(({ event }) => event)

  const asksPeople = async (team: string) => {
    const { policy } = await read!<{ policy: { preset: string; version: number } & Record<string, unknown> }>(
      'policies.read',
      { team },
    )
    const { preset, version, custom: _, ...settings } = policy
    await write!('policies.change', {
      ...{ team, preset, basedOn: version, reason: 'No language model here.' },
      settings: { ...settings, executor: 'scripted', isolation: 'none' },
    })
  }

  const issueIn = (site: Site, id: string): SiteIssue => site.issues().find((one) => one.id === id)!

  /** What must be there once the run waits for the merge to be approved. */
  async function assertProposed(way: Way, run: string): Promise<void> {
    const { evidence, pullRequest } = await get<Run>(`/v1/runs/${run}`)
    assert.deepEqual(
      evidence!.gates.map(({ result }) => result),
      ['passed', 'passed', 'passed'],
    )
    assert.match(
      way.git.git('log', '-1', '--format=%s', `signalbox/${run}/1`),
      /Print the weight on the label/,
    )
    if (!way.host) return
    const pulls = way.host.pulls()
    assert.equal(pulls.length, 1, 'it was opened once')
    const [pull] = pulls
    assert.deepEqual([pull!.state, pull!.number, pull!.url], ['open', pullRequest!.number, pullRequest!.url])
    await until(`${way.name}: the verdict is posted on the head`, () =>
      way.host!.pulls()[0]!.verdicts.some(({ state, url }) => state === 'success' && url.includes(run)),
    )
  }

  /** What must be there in the end. */
  async function assertDone(
    way: Way,
    { key, run, issue }: { key: string; run: string; issue: string | null },
  ) {
    await until(`${run} succeeds`, async () => {
      const { status, attemptList } = await get<Run>(`/v1/runs/${run}`)
      assert.notEqual(status, 'failed', JSON.stringify(attemptList))
      return status === 'succeeded'
    })
    assert.match(way.git.git('show', 'main:src/label.js'), /toFixed\(1\)/)
    const [merge, verified] = way.git.git('log', '-1', '--format=%P', 'main').split(' ')
    assert.ok(merge && verified, 'main ends with a merge')
    assert.equal(verified, way.git.tip(`signalbox/${run}/1`) ?? verified)
    assert.equal((await get<Story>(`/v1/stories/${key}`)).column.role, 'done')
    if (way.host) {
      const [pull] = way.host.pulls()
      assert.equal(pull!.state, 'merged')
      assert.equal(pull!.head, verified, 'what was verified is what was merged')
    }
    if (!way.tracker || !issue) return
    const { tracker } = way
    await until(`${way.name}: the issue is closed`, () => issueIn(tracker, issue).isClosed)
    const { pullRequest } = await get<Run>(`/v1/runs/${run}`)
    await until(`${way.name}: the issue has the evidence`, () => {
      const said = issueIn(tracker, issue).comments.join('\n')
      return (
        /finished work/.test(said) &&
        said.includes(`/${owner.workspace.slug}/runs/${run}`) &&
        /Evidence/.test(said) &&
        said.includes(pullRequest!.url)
      )
    })
    const milestones = issueIn(tracker, issue).comments.filter((text) => text.includes(run))
    assert.equal(milestones.length, 1, 'one comment, which changes')
    await until(`${way.name}: the log has it`, async () => (await auditOf(run)).includes('tracker_written'))
    const { data } = await get<{ data: AuditEntry[] }>(
      `/v1/audit?team=${way.team.slug}&event=tracker_written&limit=100`,
    )
    const wrote = data.map(({ details }) => (details as { wrote: string; after?: string }).wrote)
    assert.ok(wrote.includes('status') && wrote.includes('comment'), wrote.join())
    assert.ok(tracker.hooks.answers.length > 0, 'webhooks were sent')
    assert.deepEqual(
      tracker.hooks.answers.filter((status) => status !== 202 && status !== 200),
      [],
    )
  }

  test('GitHub, in the browser, as an app with short-lived credentials', {
    skip: withoutBrowser,
  }, async () => {
    const way = tools.github
    const site = way.tracker
    const id = site.open(way.issue)
    const tab = await openTab(await openWindow())
    const at = (path: string) => `${server.url}/${owner.workspace.slug}/${path}`
    await tab.goto(`${server.url}/login`)
    await tab.getByLabel('Email').fill(owner.email)
    await tab.getByLabel('Password', { exact: true }).fill(owner.password)
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click()
    await tab.waitForURL((url) => !url.pathname.startsWith('/login'))

    await tab.goto(at('settings/connections/new?kind=github'))
    await tab.getByLabel('How to sign in').selectOption({ label: 'GitHub App' })
    await tab.getByLabel('GitHub URL').last().fill(site.double.url)
    await tab.getByLabel('App ID').fill(way.app.id)
    await tab.getByLabel('Installation ID').fill(way.app.installation)
    await tab.getByLabel('Private key').fill(way.app.privateKey)
    await tab.getByRole('button', { name: 'Test and connect' }).click()
    await tab.getByRole('heading', { name: 'GitHub is connected' }).waitFor()

    await tab.goto(at('teams/new'))
    await tab.getByLabel('Name', { exact: true }).fill(way.team.name)
    await tab.getByRole('button', { name: 'Create team' }).click()
    await tab.waitForURL(`**/teams/${way.team.slug}/**`)
    await asksPeople(way.team.slug)
    await tab.goto(at(`teams/${way.team.slug}/settings/general`))
    await tab.getByRole('button', { name: 'Choose project' }).click()
    await tab.getByLabel('Project', { exact: true }).selectOption({ label: way.repository })
    await tab.getByRole('button', { name: 'Save project' }).click()
    await tab.getByRole('button', { name: 'Create webhook' }).click()
    await tab.getByText('Webhook created').waitFor()
    await tab.getByRole('button', { name: 'Add repository' }).click()
    await tab.getByLabel('Repository', { exact: true }).selectOption({ label: way.repository })
    await tab.getByRole('button', { name: 'Save repository' }).first().click()
    await tab.getByText(`${way.repository} added`).waitFor()
    await tab.getByText('1 open issue imported').waitFor()
    assert.deepEqual(await accessibilityFaults(tab), [])

    // On the board within moments of the click over there, and taken.
    const { key, column } = await storyOf(way)
    assert.equal(column.role, 'backlog')
    await tab.goto(at(`teams/${way.team.slug}/board`))
    await tab.locator(`[data-card="${key}"]`).waitFor()
    site.markReady(id)
    const run = await runOf(key)
    await answer(tab, await asked(run, 'plan_approval'), 'approve')
    const decision = await asked(run, 'merge_approval')
    await assertProposed(way, run)
    assert.ok(
      site.double.asked.some(
        ({ path, body }) => path.endsWith('/access_tokens') && body?.permissions?.contents === 'write',
      ),
      'the push had a credential of its own',
    )
    await answer(tab, decision, 'merge')
    await assertDone(way, { key, run, issue: id })
    await tab.goto(at(`stories/${key}`))
    await tab.getByText('In sync since').waitFor()

    // What is written here becomes an issue over there, once.
    const made = await write!<{ key: string }>('stories.create', {
      ...{ team: way.team.slug, title: 'Print a barcode below the address' },
    })
    await until('the story is an issue over there', () =>
      site.issues().some(({ title }) => title === 'Print a barcode below the address'),
    )
    await until('it says so', async () => (await get<Story>(`/v1/stories/${made.key}`)).tracker !== null)
    assert.equal(site.issues().length, 2)
    assertQuiet(tab)
  })

  /** By keyboard, as the page offers it: the number chooses, Enter sends. */
  async function answer(tab: Tab, key: string, optionId: string): Promise<void> {
    await tab.goto(`${server.url}/${owner.workspace.slug}/decisions/${key}`)
    await tab.locator(`#says-${key}`).waitFor()
    const { options } = await get<Decision>(`/v1/decisions/${key}`)
    await tab.keyboard.press(`${options.findIndex(({ id }) => id === optionId) + 1}`)
    await tab.locator(`[aria-describedby="says-${key}"][aria-disabled="false"]:focus`).waitFor()
    await tab.keyboard.press('Enter')
    await until(`${key} is answered`, async () => {
      const { status, resolution, resolvedVia } = await get<Decision>(`/v1/decisions/${key}`)
      if (status !== 'resolved') return false
      assert.deepEqual([resolution!.optionId, resolvedVia], [optionId, 'app'])
      return true
    })
  }

  for (const index of [0, 1, 2, 3])
    test(`${['GitLab', 'Jira with GitHub', 'Linear with GitHub', 'the built-in tracker'][index]}, by what the app calls`, async () => {
      const way = tools.others[index]!
      const { team } = way
      await write!('teams.create', { ...team, preset: 'supervised' })
      await asksPeople(team.slug)
      const connect = async ({ kind, name, double, credentials }: Site) =>
        (
          await write!<{ id: string }>('connections.connect', {
            ...{ kind, name: `${name} of ${team.name}`, baseUrl: double.url, credentials },
          })
        ).id
      const host = way.host && (await connect(way.host))
      if (host) {
        const { data } = await read!<{ data: { id: string; name: string }[] }>('connections.repositories', {
          ...{ connection: host, query: way.repository },
        })
        const { id, name } = data.find((one) => one.name === way.repository)!
        await write!('teams.bindRepositories', {
          ...{ team: team.slug, repositories: [{ connection: host, id, name }] },
        })
      } else
        await write!('teams.setRepository', {
          ...{ team: team.slug, repository: { name: 'labels', address: way.repository, branch: 'main' } },
        })
      let issue: string | null = null
      if (way.tracker) {
        issue = way.tracker.open(way.issue)
        const connection = way.tracker === way.host ? host! : await connect(way.tracker)
        const { data } = await read!<{ data: { id: string; key: string }[] }>('connections.projects', {
          connection,
        })
        const project = data.find(({ key }) => key === way.tracker!.project.key)!
        await write!('teams.bindTracker', {
          ...{ team: team.slug, tracker: { connection, project: { id: project.id, key: project.key } } },
        })
        await write!('connections.makeWebhook', { connection, scope: project.id })
      } else {
        const { key } = await write!<{ key: string }>('stories.create', { team: team.slug, ...story })
        await write!('stories.move', { key, to: 'ready' })
      }
      const { key } = await storyOf(way)
      if (way.tracker) {
        assert.equal((await storyOf(way)).column.role, 'backlog')
        way.tracker.markReady(issue!)
      }
      const run = await runOf(key)
      await write!('decisions.resolve', { key: await asked(run, 'plan_approval'), optionId: 'approve' })
      const decision = await asked(run, 'merge_approval')
      await assertProposed(way, run)
      await write!('decisions.resolve', { key: decision, optionId: 'merge' })
      await assertDone(way, { key, run, issue })
    })
})
