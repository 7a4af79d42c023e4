import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { createToken } from '../../domain/accounts/tokens/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { testApp } from '../../test/app.ts'
import { TestClock } from '../../test/clock.ts'
import { aMember, aWorkspace } from '../../test/factories.ts'
import { until } from '../../test/until.ts'
import { prepareAhead } from '../worker/schedule.ts'

const clock = new TestClock(new Date().toISOString())
const app = await testApp({ clock })
after(() => app.stop())

const days = (count: number) => clock.forward(count * 86_400_000)

test('a change beyond the prepared months is asked to be tried again, and goes through once the month is made', async () => {
  const owner = await aMember(await aWorkspace(app.storage.db, clock), 'owner')
  const wanted = { personId: owner.personId, name: 'CI', permissions: ['read'], expires: '1y' } as const
  const { token } = await createToken(owner, { ...wanted, permissions: [...wanted.permissions] })
  // Every export is recorded.
  const change = () => app.get('/v1/audit/export?format=json', token)
  days(200)
  const early = await change()
  assert.deepEqual([early.status, early.headers.get('retry-after')], [503, '1'])
  await prepareAhead({ db: app.storage.db, clock })
  assert.equal((await change()).status, 200)
})

test('beyond the prepared months the intake makes one and accepts; years beyond, it asks to be tried again', async () => {
  const owner = await aMember(await aWorkspace(app.storage.db, clock), 'owner')
  const { source, secret } = await addSource(owner, app.storage.secrets, {
    ...{ kind: 'generic', name: 'Alerts', services: [] },
  })
  const body = '{"title":"Disk is full"}'
  const signature = createHmac('sha256', secret!).update(body).digest('hex')
  const send = () =>
    fetch(`${app.signalUrl}/${fromJson(source).token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-signature': `sha256=${signature}` },
      body,
    })
  days(200)
  assert.equal((await send()).status, 202)
  const recorded = async () =>
    (await listAudit(owner, { event: 'signal_received' }, { limit: 10, after: null })).data.length
  await until('it is recorded', async () => (await recorded()) === 1)
  days(100 * 365)
  const late = await send()
  assert.deepEqual([late.status, late.headers.get('retry-after')], [503, '1'])
})
