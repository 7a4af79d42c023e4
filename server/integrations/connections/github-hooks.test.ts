import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Connection, ToolRefused } from '../../domain/ports/connection.ts'
import { systemClock } from '../../infra/clock.ts'
import { GithubDouble } from '../../test/doubles/github.ts'
import { callerFor } from './call.ts'
import { githubConnector } from './github.ts'

let github: GithubDouble
before(async () => {
  github = await new GithubDouble().start()
  github.addToken('ghp_1')
})
after(() => github.stop())

const connector = githubConnector(callerFor({ allow: ['127.0.0.1'], clock: systemClock }))
const at = (api = ''): Connection => ({
  ...{ id: 'c', workspaceId: 'w', kind: 'github', name: 'GitHub', baseUrl: `${github.url}${api}` },
  ...{ credentials: { token: 'ghp_1' }, account: 'signalbox-bot' },
})
const hook = { url: 'https://box.acme.dev/hooks/t', secret: 's' }

test('a webhook is created and looked after at a repository that was renamed, under its new name', async () => {
  const { id } = github.addRepository('halden/renamed')
  // As GitHub leads on from a name that it knows.
  github.on('GET', /^\/repos\/halden\/before$/, () => ({
    ...{ status: 301, headers: { location: `${github.url}/repos/halden/renamed` } },
    json: { message: 'Moved Permanently' },
  }))
  const scope = { id: `${id}`, name: 'halden/before' }
  await connector.makeWebhook!(at(), { ...hook, scope })
  assert.equal(github.hooks.get('halden/renamed')?.length, 1)
  const health = await connector.lookAfterHooks!(at(), { ...hook, scopes: [scope], since: null })
  assert.equal(health.state, 'working')
})

test('no webhook is created at another repository that took the name', async () => {
  github.addRepository('halden/taken')
  const scope = { id: '1', name: 'halden/taken' }
  await assert.rejects(
    connector.makeWebhook!(at(), { ...hook, scope }),
    (error) => error instanceof ToolRefused && /halden\/taken is another repository now/.test(error.message),
  )
  assert.equal(github.hooks.get('halden/taken'), undefined)
  const health = await connector.lookAfterHooks!(at(), { ...hook, scopes: [scope], since: null })
  assert.equal(health.state, 'unknown')
})

test('that GitHub cannot reach an address inside a network is said in words; an Enterprise Server can', async () => {
  const { id } = github.addRepository('halden/inside')
  const scope = { id: `${id}`, name: 'halden/inside' }
  const inside = { url: 'http://127.0.0.1:4400/hooks/t', secret: 's', scope }
  await assert.rejects(connector.makeWebhook!(at(), inside), {
    message:
      'GitHub can’t reach 127.0.0.1:4400 over the internet. Changes are fetched every few minutes instead.',
  })
  await connector.makeWebhook!(at('/api/v3'), inside)
  assert.equal(github.hooks.get('halden/inside')?.length, 1)
})
