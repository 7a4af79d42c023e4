import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AuditEntry } from '../../contract/audit.ts'
import type { Decision } from '../../contract/decision.ts'
import type { Run } from '../../contract/run.ts'
import type { Story, StoryListed } from '../../contract/story.ts'
import type { Site, SiteIssue } from '../../server/test/doubles/sites/site.ts'
import { until } from '../demo.ts'
import { type Server, startServer } from '../server.ts'
import { type Operate, owner, setUp, startRunner, startTools, story, type Tools, type Way } from '../tools.ts'
import {
  accessibilityFaults,
  assertQuiet,
  choose,
  openTab,
  openWindow,
  type Tab,
  withoutBrowser,
} from './browser.ts'

/**
 * From an empty workspace to an issue that is closed with its evidence: the server, the runner and git are real, the
 * tools are doubles. Every way is set up in the browser, as a person does it, in one tab, one after the other; what
 * follows runs side by side. GitHub's decisions are answered in the browser too, those of the others by what it calls.
 *
 * FAULTS=all goes every way (`npm run test:faults`); otherwise one tool that is tracker and git host, and one of each.
 */
const others = { skip: process.env.FAULTS === 'all' ? false : 'npm run test:faults goes this way' }

describe('from connecting a tool to a merged change and a closed issue', {
  concurrency: 5,
  skip: withoutBrowser,
}, () => {
  let server: Server
  let tools: Tools
  let tab: Tab
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
    tab = await openTab(await openWindow())
    await tab.goto(`${server.url}/login`)
    await tab.getByLabel('Email').fill(owner.email)
    await tab.getByLabel('Password', { exact: true }).fill(owner.password)
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click()
    await tab.waitForURL((url) => !url.pathname.startsWith('/login'))
  })

  /** There is one tab: the second caller waits. */
  let turn: Promise<unknown> = Promise.resolve()
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work)
    turn = mine.catch(() => {})
    return mine
  }

  const link = (name: string, within = 'Main') =>
    tab.getByRole('navigation', { name: within }).getByRole('link', { name, exact: true })

  /** From wherever the tab is to the form of a tool, by what there is to click. */
  async function formOf(tool: string): Promise<void> {
    await link('Settings').click()
    await link('Connections', 'Settings').click()
    await tab.getByRole('link', { name: 'Add connection' }).click()
    await tab.getByRole('link', { name: new RegExp(`^${tool}`) }).click()
    await tab.getByRole('heading', { name: `Connect ${tool}`, exact: true }).waitFor()
  }

  /** What a field of the form is called that takes this credential. */
  const labels: Record<string, string> = { token: 'Token', email: 'Email of the account' }

  /**
   * A wrong secret first, which is told in words and loses nothing of what was typed. Returns the connection's name.
   */
  async function connect({ kind, name, double, credentials }: Site, { team }: Way): Promise<string> {
    await formOf(name)
    const called = `${name} of ${team.name}`
    await tab.getByLabel('Name', { exact: true }).fill(called)
    if (kind !== 'linear') await tab.getByLabel(`${name} URL`).fill(double.url)
    const secretLabel = kind === 'linear' ? 'API key' : labels.token!
    for (const [field, value] of Object.entries(credentials))
      if (field !== 'token') await tab.getByLabel(labels[field]!).fill(value)
    for (const [secret, seen] of [
      ['wrong-0123456789', tab.getByRole('alert').filter({ hasText: `${name} rejected the credentials` })],
      [credentials.token!, tab.getByRole('heading', { name: `${name} is connected`, exact: true })],
    ] as const) {
      await tab.getByLabel(secretLabel, { exact: true }).fill(secret)
      await tab.getByRole('button', { name: 'Test and connect' }).click()
      await seen.waitFor()
    }
    await tab.getByText('Connected as').waitFor()
    assert.ok(!(await tab.content()).includes(credentials.token!), 'the secret is not shown again')
    return `${called} (${name})`
  }

  /** Leaves the tab in the team's settings. */
  async function createTeam({ name, slug }: Way['team']): Promise<void> {
    await link('Teams').click()
    await tab.getByRole('link', { name: 'New team' }).first().click()
    await tab.getByLabel('Name', { exact: true }).fill(name)
    await tab.getByRole('button', { name: 'Create team' }).click()
    await tab.waitForURL(`**/teams/${slug}/**`)
    await asksPeople(slug)
    await link('Settings', `Team ${slug}`).click()
  }

  /** The project by the name that the list shows. */
  async function bindProject(connection: string, project: string): Promise<void> {
    await tab.getByRole('button', { name: 'Choose project' }).click()
    await tab.getByLabel('Connection', { exact: true }).selectOption({ label: connection })
    await tab.getByLabel('Project', { exact: true }).selectOption({ label: project })
    await tab.getByRole('button', { name: 'Save project' }).click()
    const made = tab.waitForResponse((response) => response.url().endsWith('/connections.makeWebhook'))
    await tab.getByRole('button', { name: 'Create webhook' }).click()
    assert.equal((await made).status(), 200)
    await tab.getByText('Webhook created').last().waitFor()
  }

  async function bindRepository(connection: string, repository: string): Promise<void> {
    await tab.getByRole('button', { name: 'Add repository' }).click()
    await tab.getByLabel('Connection', { exact: true }).selectOption({ label: connection })
    await tab.getByLabel('Repository', { exact: true }).selectOption({ label: repository })
    await tab.getByRole('button', { name: 'Add repository' }).click()
    await tab.getByText(`${repository} added`).waitFor()
  }

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

  test('GitHub, as an app with short-lived credentials, answered in the browser', async () => {
    const way = tools.github
    const site = way.tracker
    const id = site.open(way.issue)
    await inTurn(async () => {
      await formOf('GitHub')
      await tab.getByLabel('How to sign in').selectOption({ label: 'GitHub App' })
      await tab.getByLabel('GitHub URL').last().fill(site.double.url)
      await tab.getByLabel('App ID').fill(way.app.id)
      await tab.getByLabel('Installation ID').fill(way.app.installation)
      await tab.getByLabel('Private key').fill(way.app.privateKey)
      await tab.getByRole('button', { name: 'Test and connect' }).click()
      await tab.getByRole('heading', { name: 'GitHub is connected' }).waitFor()
      await createTeam(way.team)
      await bindProject('GitHub', way.repository)
      await bindRepository('GitHub', way.repository)
      await tab.getByText('1 open issue imported').waitFor()
      assert.deepEqual(await accessibilityFaults(tab), [])
      await link('Board', `Team ${way.team.slug}`).click()
      await tab.locator(`[data-card="${(await storyOf(way)).key}"]`).waitFor()
    })

    // Taken within moments of the click over there.
    const { key, column } = await storyOf(way)
    assert.equal(column.role, 'backlog')
    site.markReady(id)
    const run = await runOf(key)
    // The other tab is busy with the next tool.
    const page = await openTab(tab.context())
    await answer(page, await asked(run, 'plan_approval'), 'approve')
    const decision = await asked(run, 'merge_approval')
    await assertProposed(way, run)
    assert.ok(
      site.double.asked.some(
        ({ path, body }) => path.endsWith('/access_tokens') && body?.permissions?.contents === 'write',
      ),
      'the push had a credential of its own',
    )
    await answer(page, decision, 'merge')
    await assertDone(way, { key, run, issue: id })
    await page.goto(`${server.url}/${owner.workspace.slug}/stories/${key}`)
    await page.getByText('In sync since').waitFor()
    assertQuiet(page)
    await page.close()

    // What is written here becomes an issue over there, once.
    const made = await write!<{ key: string }>('stories.create', {
      ...{ team: way.team.slug, title: 'Print a barcode below the address' },
    })
    await until('the story is an issue over there', () =>
      site.issues().some(({ title }) => title === 'Print a barcode below the address'),
    )
    await until('it says so', async () => (await get<Story>(`/v1/stories/${made.key}`)).tracker !== null)
    assert.equal(site.issues().length, 2)
  })

  /** By keyboard, as the page offers it: the number chooses, Enter sends. */
  async function answer(page: Tab, key: string, optionId: string): Promise<void> {
    await page.goto(`${server.url}/${owner.workspace.slug}/decisions/${key}`)
    await page.locator(`#says-${key}`).waitFor()
    const { options } = await get<Decision>(`/v1/decisions/${key}`)
    await choose(page, key, options.findIndex(({ id }) => id === optionId) + 1)
    await page.keyboard.press('Enter')
    await until(`${key} is answered`, async () => {
      const { status, resolution, resolvedVia } = await get<Decision>(`/v1/decisions/${key}`)
      if (status !== 'resolved') return false
      assert.deepEqual([resolution!.optionId, resolvedVia], [optionId, 'app'])
      return true
    })
  }

  /** The rest of a way, from an issue that is here to one that is closed over there. */
  async function play(way: Way, issue: string | null): Promise<void> {
    const { key, column } = await storyOf(way)
    if (way.tracker) {
      assert.equal(column.role, 'backlog')
      way.tracker.markReady(issue!)
    }
    const run = await runOf(key)
    await write!('decisions.resolve', { key: await asked(run, 'plan_approval'), optionId: 'approve' })
    const decision = await asked(run, 'merge_approval')
    await assertProposed(way, run)
    await write!('decisions.resolve', { key: decision, optionId: 'merge' })
    await assertDone(way, { key, run, issue })
  }

  test('GitLab', others, async () => {
    const way = tools.others[0]!
    const issue = way.tracker!.open(way.issue)
    await inTurn(async () => {
      const connection = await connect(way.tracker!, way)
      await createTeam(way.team)
      await bindProject(connection, way.repository)
      await bindRepository(connection, way.repository)
    })
    await play(way, issue)
  })

  test('Jira with GitHub', async () => {
    const way = tools.others[1]!
    const issue = way.tracker!.open(way.issue)
    await inTurn(async () => {
      const jira = await connect(way.tracker!, way)
      const github = await connect(way.host!, way)
      await createTeam(way.team)
      await bindProject(jira, 'DEP: Depot')
      await bindRepository(github, way.repository)
    })
    await play(way, issue)
  })

  test('Linear with GitHub', others, async () => {
    const way = tools.others[2]!
    const { tracker } = way
    const issue = tracker!.open(way.issue)
    await inTurn(async () => {
      // Linear has one address in the world, so the form asks for none: the double's is put in on the way.
      await tab.route('**/connections.connect', (route) => {
        const body = route.request().postDataJSON()
        const isLinear = body.kind === 'linear'
        return route.continue(isLinear ? { postData: { ...body, baseUrl: tracker!.double.url } } : {})
      })
      const linear = await connect(tracker!, way)
      const github = await connect(way.host!, way)
      await createTeam(way.team)
      await bindProject(linear, 'NOT: Notices')
      await bindRepository(github, way.repository)
    })
    await play(way, issue)
  })

  test('the built-in tracker, with a folder on the server', others, async () => {
    const way = tools.others[3]!
    await inTurn(async () => {
      await createTeam(way.team)
      await tab.getByLabel('Repository name').fill('labels')
      await tab.getByLabel('Folder', { exact: true }).fill(way.repository)
      await tab.getByRole('button', { name: 'Save repository' }).click()
      await tab.getByText('Repository saved').waitFor()
    })
    const { key } = await write!<{ key: string }>('stories.create', { team: way.team.slug, ...story })
    await write!('stories.move', { key, to: 'ready' })
    await play(way, null)
  })

  after(() => {
    // Wrong secrets are refused, which the browser notes.
    if (tab) assertQuiet(tab, /status of (401|403|422|503)/)
  })
})
