import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { MessagePage, MessageRow, WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { json } from '../../../test/answers.ts'
import { testApp } from '../../../test/app.ts'
import { aTeam, aWorkspace } from '../../../test/factories.ts'
import { browsersOf } from '../../../test/signed-in.ts'
import { allTypes, receiver } from '../../../test/tools/webhooks.ts'
import { until } from '../../../test/until.ts'

describe('webhooks in the app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp({ env: { WEBHOOK_ALLOW: '127.0.0.1', LOG_LEVEL: 'trace' } })
  })
  after(() => app.stop())

  async function aWorld() {
    const workspace = await aWorkspace(app.storage.db)
    const team = await aTeam(workspace)
    const as = browsersOf(app, workspace)
    return { team, as, admin: await as('admin') }
  }

  const settings = (url: string) => ({ url, description: 'Billing', events: allTypes, teams: null })

  test('what happens in the app arrives, is listed with its answer, and can be sent again', async (t) => {
    const { admin, team } = await aWorld()
    const host = await receiver(t, (_, response) => void response.writeHead(201).end('thank you'))
    const { id, secret } = await json<{ id: string; secret: string }>(
      await admin.write('webhooks.add', settings(`${host.url}/in?token=canary-4e1d`)),
    )
    const tested = await json(await admin.write('webhooks.test', { webhook: id }))
    assert.deepEqual(
      { ...(tested as object), message: '', durationMs: 0 },
      { message: '', status: 201, answer: 'thank you', problem: null, durationMs: 0 },
    )
    await json(await admin.write('teams.pause', { team: team.slug }))
    const listed = async () =>
      (
        await json<{ data: MessageRow[] }>(
          await admin.read('webhooks.messages', { webhook: id, state: 'delivered' }),
        )
      ).data
    await until('the worker has sent it', async () => (await listed()).length === 2)
    const paused = (await listed()).find(({ type }) => type === 'team.paused')!
    const shown = await json<MessagePage>(
      await admin.read('webhooks.message', { webhook: id, message: paused.id }),
    )
    assert.equal(shown.attemptList[0]!.answer, 'thank you')
    assert.equal(shown.body, host.asked[1]!.body)
    assert.equal(shown.messageId, host.asked[1]!.headers['webhook-id'])
    assert.equal(shown.attemptList[0]!.signature, host.asked[1]!.headers['webhook-signature'])
    await json(await admin.write('webhooks.resend', { webhook: id, message: paused.id }))
    await until('it came once more', () => host.asked.length === 3)
    assert.deepEqual(
      host.verified(secret).map(({ message }) => message.type),
      ['endpoint.test', 'team.paused', 'team.paused'],
    )
    const rotated = await json<{ secret: string }>(await admin.write('webhooks.rotate', { webhook: id }))
    const [row] = (await json<{ data: WebhookRow[] }>(await admin.read('webhooks.list'))).data
    assert.deepEqual([row!.state, row!.waiting, row!.lastAttempt?.status], ['active', 0, 201])
    const log = app.log.join('')
    for (const one of [secret, rotated.secret, 'canary-4e1d'])
      assert.ok(!log.includes(one), 'a secret is in the log')
  })

  test('members and other workspaces see no endpoint, and no address inside the network is taken', async () => {
    const { admin, as } = await aWorld()
    const { id } = await json<{ id: string }>(
      await admin.write('webhooks.add', settings('http://127.0.0.1:9/')),
    )
    const member = await as('member')
    const stranger = (await aWorld()).admin
    for (const [name, input] of [
      ['webhooks.list', {}],
      ['webhooks.read', { webhook: id }],
      ['webhooks.messages', { webhook: id }],
    ] as const)
      assert.equal((await member.read(name, input)).status, 403, name)
    assert.equal((await stranger.read('webhooks.read', { webhook: id })).status, 404)
    for (const name of ['rotate', 'endFormerSecret', 'pause', 'resume', 'remove', 'test']) {
      assert.equal((await member.write(`webhooks.${name}`, { webhook: id })).status, 403, name)
      assert.equal((await stranger.write(`webhooks.${name}`, { webhook: id })).status, 404, name)
    }
    for (const url of ['https://10.1.2.3/', 'http://169.254.169.254/latest', 'https://[fd00::1]/']) {
      const refused = await admin.write('webhooks.add', settings(url))
      assert.equal(refused.status, 400, url)
      assert.match(await refused.text(), /not on the public internet/)
    }
  })
})
