import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { NotificationSettings } from '@signalbox/contract/app/account.ts'
import type { Notification, Unread } from '@signalbox/contract/app/notifications.ts'
import { notify } from '../../../domain/accounts/notifications/add.ts'
import { change } from '../../../domain/record/audit/change.ts'
import { testApp } from '../../../test/app.ts'
import { aMember, aWorkspace } from '../../../test/factories.ts'
import { signedIn } from '../../../test/signed-in.ts'

describe('notifications', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  /** A person with notifications of some incidents, and that person's browser. */
  async function ann(count: number) {
    const workspace = await aWorkspace(app.storage.db)
    const member = { ...(await aMember(workspace, 'member')), slug: workspace.slug }
    for (let n = 1; n <= count; n += 1)
      await change(workspace, async (tx) => {
        const told = {
          kind: 'incident',
          thing: `inc-000${n}`,
          what: 'opened',
          title: `Incident ${n}`,
          body: '',
        } as const
        await notify(workspace, tx, [member.personId], told)
        return { value: null, audit: [] }
      })
    const browser = await signedIn(app, member)
    const read = async <T>(name: string, input?: Record<string, string>): Promise<T> =>
      (await (await browser.read(name, input)).json()) as T
    return { workspace, member, browser, read }
  }

  test('are listed newest first, page by page, to their person alone', async () => {
    const { workspace, read } = await ann(3)
    interface Listed {
      data: Notification[]
      nextCursor: string | null
    }
    const first = await read<Listed>('notifications.list', { limit: '2' })
    assert.deepEqual(
      first.data.map(({ title }) => title),
      ['Incident 3', 'Incident 2'],
    )
    const second = await read<Listed>('notifications.list', { limit: '2', cursor: first.nextCursor! })
    assert.deepEqual([second.data.map(({ title }) => title), second.nextCursor], [['Incident 1'], null])
    const other = { ...(await aMember(workspace, 'owner')), slug: workspace.slug }
    const theirs = await signedIn(app, other)
    assert.deepEqual(await (await theirs.read('notifications.unread')).json(), { count: 0, newest: [] })
    const stolen = await theirs.read('notifications.list', { limit: '2', cursor: first.nextCursor! })
    assert.equal(stolen.status, 400)
  })

  test('are read one by one or all at once', async () => {
    const { browser, read } = await ann(3)
    const { count, newest } = await read<Unread>('notifications.unread')
    assert.deepEqual([count, newest.length, newest[0]!.unread], [3, 3, true])
    assert.equal((await browser.write('notifications.read', { id: newest[0]!.id })).status, 200)
    assert.equal((await read<Unread>('notifications.unread')).count, 2)
    assert.equal((await browser.write('notifications.readAll')).status, 200)
    assert.deepEqual(await read<Unread>('notifications.unread'), { count: 0, newest: [] })
  })

  test('are what one has chosen, with the key that browsers subscribe with', async () => {
    const { browser } = await ann(0)
    const headers = { cookie: browser.cookie, 'content-type': 'application/json', origin: app.url }
    const settings = async (): Promise<NotificationSettings> =>
      (
        await fetch(`${app.url}/api/account.notifications`, { headers })
      ).json() as Promise<NotificationSettings>
    const post = (name: string, input: object) =>
      fetch(`${app.url}/api/${name}`, { method: 'POST', headers, body: JSON.stringify(input) })
    const chosen = { kind: 'decision', inApp: false, byMail: true, byPush: false }
    assert.equal((await post('account.setNotifications', chosen)).status, 200)
    const { kinds, mail, pushKey } = await settings()
    assert.deepEqual(kinds[0], chosen)
    assert.equal(mail, false)
    assert.equal(Buffer.from(pushKey, 'base64url').length, 65)
    const browserKeys = { p256dh: pushKey, auth: Buffer.alloc(16).toString('base64url') }
    const inside = { endpoint: 'http://127.0.0.1/x', ...browserKeys }
    assert.equal((await post('account.turnOnPush', inside)).status, 400)
    const within = await post('account.turnOnPush', { ...inside, endpoint: 'https://10.1.2.3/x' })
    assert.equal(within.status, 400)
    assert.match(within.headers.get('link')!, /^<\/docs\/configuration#PUSH_ALLOW>; rel="help", /)
    const { error } = (await within.json()) as { error: object }
    assert.deepEqual(Object.keys(error), ['code', 'message'])
    assert.match(JSON.stringify(error), /Ask the server operator to allow 10.1.2.3 for push notifications./)
    const outside = { endpoint: 'https://push.example.com/x', ...browserKeys }
    assert.equal((await post('account.turnOnPush', outside)).status, 200)
    const [one] = (await settings()).browsers
    assert.equal(one!.endpoint, outside.endpoint)
    assert.equal((await post('account.turnOffPush', { id: one!.id })).status, 200)
    assert.deepEqual((await settings()).browsers, [])
  })
})
