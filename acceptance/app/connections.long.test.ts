import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GithubDouble } from '../../server/test/doubles/github.ts'
import { GithubIssues } from '../../server/test/doubles/github-issues.ts'
import { ABareRepository } from '../../server/test/engine/bare-repository.ts'
import { startServer } from '../server.ts'
import { owner, setUp } from '../tools.ts'
import {
  accessibilityFaults,
  assertQuiet,
  follow,
  openTab,
  openWindow,
  type Tab,
  withoutBrowser,
} from './browser.ts'

const sectionOf = (tab: Tab, title: string) =>
  tab.locator('section').filter({ has: tab.getByRole('heading', { name: title, exact: true }) })

test('from an empty workspace: first steps, GitHub connected, its refusal in words, a team bound to it', {
  skip: withoutBrowser,
}, async (t) => {
  const github = await new GithubDouble().start()
  t.after(() => github.stop())
  github.addToken('ghp_right')
  github.addRepository('acme/parcels')
  new GithubIssues(github, 'acme/parcels', { now: () => new Date() })
  github.addRepository('acme/billing')
  const server = await startServer({ CONNECTION_ALLOW: '127.0.0.1' })
  const tab = await openTab(await openWindow())
  await tab.goto(`${server.url}/setup?code=${server.setupCode}`)
  await tab.getByLabel('Your name').fill('Ada Example')
  await tab.getByLabel('Email').fill('ada@example.com')
  await tab.getByLabel('Password', { exact: true }).fill('a password of some length')
  await tab.getByLabel('Workspace', { exact: true }).fill('Acme Parcels')
  await tab.getByRole('button', { name: 'Set up' }).click()
  await tab.waitForURL('**/acme-parcels/start')

  // An empty workspace opens with its first steps, the next one in reach.
  await tab.getByText('Choose a tracker').waitFor()
  await tab.getByRole('link', { name: 'Create team' }).click()
  await tab.waitForURL('**/teams/new')
  await tab.getByLabel('Name', { exact: true }).fill('Parcels')
  await tab.getByRole('button', { name: 'Create team' }).click()
  await tab.waitForURL('**/teams/parcels/**')

  await follow(tab, `${server.url}/acme-parcels/settings/connections`)
  await tab.getByRole('link', { name: 'Add connection' }).click()
  await tab.getByRole('link', { name: /^GitHub/ }).click()
  await tab.getByLabel('GitHub URL').fill(github.url)
  await tab.getByLabel('Token', { exact: true }).fill('ghp_wrong')
  await tab.getByRole('button', { name: 'Test and connect' }).click()
  await tab.getByRole('alert').filter({ hasText: 'GitHub rejected the credentials' }).waitFor()
  assert.deepEqual(await accessibilityFaults(tab), [])
  await tab.getByLabel('Token', { exact: true }).fill('ghp_right')
  await tab.getByRole('button', { name: 'Test and connect' }).click()
  await tab.getByRole('heading', { name: 'GitHub is connected' }).waitFor()
  assert.ok(!(await tab.content()).includes('ghp_right'))
  await tab.getByRole('link', { name: 'Go to connection' }).click()
  await tab.getByText('GitHub as signalbox-bot').waitFor()
  assert.deepEqual(await accessibilityFaults(tab), [])

  // A token that was revoked over there is told in words, and replaced.
  github.tokens.delete('ghp_right')
  await tab.getByRole('button', { name: 'Test', exact: true }).click()
  await tab
    .getByText(/GitHub rejected the credentials/)
    .first()
    .waitFor()
  await tab.getByText('Not working').waitFor()
  github.addToken('ghp_new', { login: 'parcels-bot' })
  await tab.getByRole('button', { name: 'Replace credentials' }).click()
  await tab.getByRole('dialog').getByLabel('Token', { exact: true }).fill('ghp_new')
  await tab.getByRole('dialog').getByRole('button', { name: 'Test and replace' }).click()
  await tab.getByText('GitHub as parcels-bot').waitFor()

  await follow(tab, `${server.url}/acme-parcels/teams/parcels/settings/general`)
  await tab.getByRole('button', { name: 'Choose project' }).click()
  await tab.getByLabel('Project', { exact: true }).selectOption({ label: 'acme/parcels' })
  await tab.getByRole('button', { name: 'Save project' }).click()
  await tab.getByRole('link', { name: 'acme/parcels' }).first().waitFor()
  await tab.getByRole('button', { name: 'Add repository' }).click()
  await tab.getByLabel('Repository', { exact: true }).selectOption({ label: 'acme/billing' })
  await tab.getByRole('button', { name: 'Add repository' }).click()
  await tab.getByRole('link', { name: 'acme/billing' }).waitFor()

  // What the tool refuses later is listed with what waits for it, and sent once it works again.
  github.tokens.delete('ghp_new')
  const created = await tab.request.post(`${server.url}/api/w/acme-parcels/stories.create`, {
    data: { team: 'parcels', title: 'Show the window' },
    headers: { origin: server.url },
  })
  assert.equal(created.status(), 200, await created.text())
  await follow(tab, `${server.url}/acme-parcels/settings/connections`)
  await tab
    .getByRole('link', { name: /GitHub/ })
    .first()
    .click()
  const refused = sectionOf(tab, 'Refused')
  await refused.getByText(/GitHub rejected the credentials/).waitFor()
  await refused.getByText(/1 waiting/).waitFor()
  assert.deepEqual(await accessibilityFaults(tab), [])
  github.addToken('ghp_new', { login: 'parcels-bot' })
  await tab.getByRole('button', { name: 'Test', exact: true }).click()
  await refused.waitFor({ state: 'detached' })

  // The first steps know of it, until someone puts them away.
  await tab.getByRole('link', { name: 'Get started' }).click()
  await tab.getByText('Add a repository, done').waitFor()
  assert.deepEqual(await accessibilityFaults(tab), [])
  await tab.getByRole('button', { name: 'Hide for everyone' }).click()
  await tab.getByRole('link', { name: 'Get started' }).waitFor({ state: 'detached' })
  assertQuiet(tab, /401|403|422|503/)
})

test('a team works on two folders, and a story names the one that it is about', {
  skip: withoutBrowser,
}, async (t) => {
  const folders = [new ABareRepository(), new ABareRepository()] as const
  t.after(() => {
    for (const one of folders) one.remove()
  })
  for (const one of folders) await one.push('main', { 'a.txt': 'one\n' })
  const server = await startServer({ GIT_ALLOW: folders.map(({ folder }) => folder).join(',') })
  const { write } = await setUp(server)
  await write('teams.create', { name: 'Parcels', slug: 'parcels', keyPrefix: 'PAR', preset: 'trial' })
  const tab = await openTab(await openWindow())
  const reply = await tab.request.post(`${server.url}/api/auth/sign-in/email`, {
    data: { email: owner.email, password: owner.password },
    headers: { origin: server.url },
  })
  assert.equal(reply.status(), 200, await reply.text())
  await tab.goto(`${server.url}/acme-parcels/teams/parcels/settings/general`)
  for (const [at, name] of ['parcels/api', 'parcels/web'].entries()) {
    if (at > 0) await tab.getByRole('button', { name: 'Add folder' }).click()
    const form = tab.getByRole('group', { name: 'New folder' })
    await form.getByLabel('Repository name').fill(name)
    await form.getByLabel('Folder', { exact: true }).fill(folders[at]!.bare)
    // The form goes with the folder that it made, before all that has changed is read again.
    const reads = '**/teams.bindings*'
    const formIsGone = Promise.withResolvers<void>()
    await tab.route(reads, (route) => formIsGone.promise.then(() => route.continue()))
    await form.getByRole('button', { name: 'Save repository' }).click()
    await tab.getByRole('group', { name }).waitFor()
    formIsGone.resolve()
    await tab.getByText('Repository saved').first().waitFor()
    await tab.unroute(reads)
  }
  assert.deepEqual(await accessibilityFaults(tab), [])

  const { key } = await write<{ key: string }>('stories.create', {
    team: 'parcels',
    title: 'Show the window',
  })
  await follow(tab, `${server.url}/acme-parcels/stories/${key}`)
  const repositories = sectionOf(tab, 'Repositories')
  await repositories.getByLabel('parcels/api').uncheck()
  await repositories.getByRole('button', { name: 'Save repositories' }).click()
  await tab.getByText('Repositories saved').waitFor()
  await tab.reload()
  assert.deepEqual(
    await Promise.all(
      ['parcels/api', 'parcels/web'].map((name) => repositories.getByLabel(name).isChecked()),
    ),
    [false, true],
  )
  assert.deepEqual(await accessibilityFaults(tab), [])

  // One that is removed leaves the other.
  await follow(tab, `${server.url}/acme-parcels/teams/parcels/settings/general`)
  await tab
    .getByRole('group', { name: 'parcels/api' })
    .getByRole('button', { name: 'Remove repository' })
    .click()
  await tab.getByRole('group', { name: 'parcels/api' }).waitFor({ state: 'detached' })
  await tab.getByRole('group', { name: 'parcels/web' }).waitFor()
  assertQuiet(tab)
})
