import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { createService } from '../../domain/on-call/services/create.ts'
import { addSource } from '../../domain/on-call/sources/add.ts'
import { verifyLog } from '../../domain/record/seals/verify-log.ts'
import { systemClock } from '../../infra/clock.ts'
import { silentQueue } from '../../infra/jobs/queue.ts'
import { testApp, urlOf } from '../app.ts'
import { emptyDatabase, superuserIn } from '../database.ts'
import { aMember, aToken } from '../factories.ts'
import { tables } from '../tables.ts'
import { until } from '../until.ts'
import { restoreFixture } from './fixture.ts'

/** Each release so far, with how a workspace of its demo is found. */
for (const { version, slug } of [{ version: '0.1.0', slug: 'halden' }])
  test(`the database of ${version} starts on this code: its lists are read, its log verifies, an alert is taken`, async (t) => {
    const connection = await emptyDatabase()
    const { secretKey, rows } = await restoreFixture(version, connection, superuserIn(connection))
    const app = await testApp({ databaseUrl: urlOf(connection), env: { SECRET_KEY: secretKey } })
    t.after(() => app.stop())
    const { db, secrets } = app.storage
    const workspaces = rows.workspaces as { id: string; slug: string }[]
    const workspaceId = workspaces.find((one) => one.slug.startsWith(slug))!.id
    const operator = { type: 'system', name: 'test' } as const
    const common = {
      db,
      clock: systemClock,
      queue: silentQueue,
      actor: operator,
      channel: 'operator',
    } as const
    const owner = await aMember({ ...common, workspaceId }, 'owner')

    const { token } = await aToken(owner)
    const list = async (path: string) => {
      const response = await app.get(`/v1/${path}`, token)
      const text = await response.text()
      assert.equal(response.status, 200, `${path}: ${text}`)
      return JSON.parse(text).data as { slug: string; key: string }[]
    }
    for (const path of ['runs', 'decisions', 'audit']) assert.notDeepEqual(await list(path), [], path)
    const teams = await list('teams')
    const stories = await Promise.all(
      teams.map(({ slug }) => list(`teams/${slug}/stories?drafts=true&limit=100`)),
    )
    const kept = (rows.stories as { workspace_id: string; key: string }[]).filter(
      (story) => story.workspace_id === workspaceId,
    )
    const keysOf = (listed: { key: string }[]) => listed.map(({ key }) => key).sort()
    assert.deepEqual(keysOf(stories.flat()), keysOf(kept))

    const service = fromJson(
      await createService(owner, { name: 'upgraded', team: teams[0]!.slug, settings: {} }),
    )
    const made = await addSource(owner, secrets, { kind: 'generic', name: 'Scripts', services: [service.id] })
    const body = JSON.stringify({ title: 'Slow', fingerprint: 'upgraded', severity: 'info' })
    const signature = createHmac('sha256', made.secret!).update(body).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-service-signature': `sha256=${signature}` }
    const response = await fetch(`${app.signalUrl}/${fromJson(made.source).token}`, {
      method: 'POST',
      headers,
      body,
    })
    assert.equal(response.status, 202)
    await until('it has become an alert', async () => {
      const alerts = tables(db).selectFrom('alerts').select('id').where('fingerprint', '=', 'upgraded')
      return (await alerts.execute()).length === 1
    })

    const { workspaces: verified } = await verifyLog(db, secrets.signing.publicKey, { now: new Date() })
    assert.deepEqual(
      verified.flatMap(({ findings }) => findings),
      [],
    )
    assert.equal(verified.length, workspaces.length)
  })
