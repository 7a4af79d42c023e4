import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GithubDouble } from '../../server/test/doubles/github.ts'
import { startServer } from '../server.ts'
import { accessibilityFaults, assertQuiet, follow, openTab, openWindow, withoutBrowser } from './browser.ts'

test('from an empty workspace: first steps, GitHub connected, its refusal in words, a team bound to it', {
  skip: withoutBrowser,
}, async (t) => {
  const github = await new GithubDouble().start()
  t.after(() => github.stop())
  github.addToken('ghp_right')
  github.addRepository('acme/parcels')
  github.addRepository('acme/billing')
  const server = await startServer({ CONNECTION_ALLOW: '127.0.0.1' })
  const tab = await openTab(await openWindow())
  await tab.goto(`${server.url}/setup?code=${server.setupCode}`)
  await tab.getByLabel('Your name').fill('Ada Example')
  await tab.getByLabel('Email').fill('ada@example.com')
  await tab.getByLabel('Password', { exact: true }).fill('a password of some length')
  await tab.getByLabel('Workspace', { exact: true }).fill('Acme Parcels')
  await tab.getByRole('button', { name: 'Set up' }).click()
  await tab.waitForURL('**/acme-parcels/inbox')

  // An empty workspace opens with its first steps, the next one in reach.
  const steps = tab.getByRole('region', { name: 'Get started' })
  await steps.getByText('Say where stories come from').waitFor()
  await steps.getByRole('link', { name: 'Create team' }).click()
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

  // The first steps know of it, until somebody puts them away.
  await tab.getByRole('link', { name: 'Get started' }).click()
  await tab.getByText('Add a repository, done').waitFor()
  assert.deepEqual(await accessibilityFaults(tab), [])
  await tab.getByRole('button', { name: 'Hide for everyone' }).click()
  await tab.getByRole('link', { name: 'Get started' }).waitFor({ state: 'detached' })
  assertQuiet(tab, /401|403|422|503/)
})
