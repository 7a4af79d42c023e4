import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { positionHeader } from '@signalbox/contract/position.ts'
import { onReplica } from '../../domain/on-replica.ts'
import { read } from '../../infra/db/db.ts'
import { Statement } from '../../infra/db/statement.ts'
import { testApp, urlOf } from '../app.ts'
import { aMember, aTeam, aToken, aWorkspace } from '../factories.ts'
import { patienceMs } from '../patience.ts'
import { noStreamingReplica, StreamingReplica } from '../serving/streaming-replica.ts'
import { signedIn } from '../signed-in.ts'
import { until } from '../until.ts'

/** Two nodes, a primary and a replica that streams from it, all real. What a replica may answer: infra/db/replica.test.ts. */

type App = Awaited<ReturnType<typeof testApp>>

const whoami = new Statement<object, { isStandby: boolean; user: string; readOnly: string }>(`
  select pg_is_in_recovery() as "isStandby", current_user::text as "user",
    current_setting('transaction_read_only') as "readOnly"`)

describe('with DATABASE_READ_URL', { skip: noStreamingReplica }, () => {
  const streaming = new StreamingReplica()
  let one: App
  let two: App
  before(async () => {
    const { primary, replica } = await streaming.open()
    const env = { DATABASE_READ_URL: urlOf(replica), DATABASE_READ_LAG_SECONDS: '300' }
    one = await testApp({ databaseUrl: urlOf(primary), env })
    two = await testApp({ databaseUrl: urlOf(primary), env })
  })
  after(async () => {
    await two?.stop()
    await one?.stop()
    await streaming.close()
  })

  /** Two people of a workspace, each in a browser and with a token, who both read from the replica. */
  async function colleagues() {
    const workspace = await aWorkspace(one.storage.db)
    const join = async () => {
      const member = { ...(await aMember(workspace, 'admin')), slug: workspace.slug }
      const { token } = await aToken(member, ['read'])
      const browser = await signedIn(two, member)
      return {
        member,
        browser,
        /** The teams that the REST API of a node lists. */
        async teamsOn(node: App): Promise<string[]> {
          const { data } = (await (await node.get('/v1/teams', token)).json()) as { data: { slug: string }[] }
          return data.map(({ slug }) => slug)
        },
        async teamsInBrowser(headers: Record<string, string> = {}): Promise<string[]> {
          const { cookie } = browser
          const response = await fetch(`${two.url}/api/w/${workspace.slug}/teams.list`, {
            headers: { cookie, ...headers },
          })
          return ((await response.json()) as { slug: string }[]).map(({ slug }) => slug)
        },
        get: (path: string) => two.get(path, token),
      }
    }
    const [ada, ben] = [await join(), await join()]
    await streaming.caughtUp()
    for (const node of [one, two])
      for (const person of [ada, ben])
        await until('the replica answers', () => isByReplica(node, () => person.teamsOn(node)))
    return { workspace, ada, ben }
  }

  async function isByReplica(node: App, ask: () => Promise<unknown>): Promise<boolean> {
    const before = { ...node.storage.replica!.answered }
    await ask()
    const { replica, behind, away } = node.storage.replica!.answered
    return replica > before.replica && behind === before.behind && away === before.away
  }

  beforeEach(() => streaming.resume())

  test('who has written reads it at once on every node, while others still read a replica that lacks it', async () => {
    const { ada, ben } = await colleagues()
    await streaming.pause()
    const { slug } = await aTeam(ada.member)
    for (const node of [one, two]) {
      assert.deepEqual(await ada.teamsOn(node), [slug])
      assert.equal(await isByReplica(node, () => ben.teamsOn(node)), true)
      assert.deepEqual(await ben.teamsOn(node), [])
    }
    assert.deepEqual(await ada.teamsInBrowser(), [slug])
    assert.deepEqual(await ben.teamsInBrowser(), [])
    await streaming.resume()
    await streaming.caughtUp()
    for (const person of [ada, ben])
      for (const node of [one, two]) {
        assert.equal(await isByReplica(node, () => person.teamsOn(node)), true)
        assert.deepEqual(await person.teamsOn(node), [slug])
      }
  })

  test('what is decided by is read from the primary', async () => {
    const { ben } = await colleagues()
    const before = { ...two.storage.replica!.answered }
    for (const path of ['/v1/decisions', '/v1/decisions?status=pending'])
      assert.equal((await ben.get(path)).status, 200)
    for (const name of ['decisions.list', 'tokens.list', 'members.list', 'runners.list'])
      assert.equal((await ben.browser.read(name)).status, 200)
    assert.deepEqual(two.storage.replica!.answered, before)
  })

  const within = { timeout: patienceMs }
  test('a page that is told of a change reads it, even if the replica lacks it', within, async () => {
    const { workspace, ada, ben } = await colleagues()
    const listen = () =>
      fetch(`${two.url}/api/w/${workspace.slug}/events`, { headers: { cookie: ben.browser.cookie } })
    const stream = changesIn(await listen())
    await streaming.pause()
    const { slug } = await aTeam(ada.member)
    // The first may be of what was before.
    for (let told = await stream.next(); !(await isTold(told.value!)); ) told = await stream.next()
    assert.deepEqual(await ben.teamsInBrowser(), [], 'without what it was told, it reads the replica')
    await stream.return(undefined)

    // A page that has read from the replica before its stream was open is told, too.
    const late = changesIn(await listen())
    const first = (await late.next()).value!
    assert.ok(first.nouns.includes('teams'))
    assert.ok(await isTold(first))
    await late.return(undefined)

    async function isTold({ position }: Change) {
      assert.equal(typeof position, 'number')
      return (await ben.teamsInBrowser({ [positionHeader]: String(position) })).includes(slug)
    }
  })

  test('an export holds what was there when it was asked for', async () => {
    const { ada } = await colleagues()
    await streaming.pause()
    const { slug } = await aTeam(ada.member)
    const response = await ada.get('/v1/audit/export?format=csv')
    assert.equal(response.status, 200)
    assert.match(await response.text(), new RegExp(slug))
  })

  test('sessions there act as the restricted role and only read', async () => {
    const { ada } = await colleagues()
    const ctx = await onReplica({ ...ada.member, db: two.storage.db })
    assert.deepEqual(await read(ctx.db, whoami, {}), [
      { isStandby: true, user: 'signalbox_app', readOnly: 'on' },
    ])
  })

  test('a replica that is away is missed by no one, and used again when it is back', async () => {
    const { ada, ben } = await colleagues()
    await streaming.stopReplica()
    const { slug } = await aTeam(ada.member)
    for (const person of [ada, ben]) assert.deepEqual(await person.teamsOn(two), [slug])
    assert.ok('error' in (await two.storage.replica!.state()))
    assert.equal((await two.get('/readyz')).status, 200)
    await streaming.startReplica()
    await until('the replica answers again', () => isByReplica(two, () => ben.teamsOn(two)))
    assert.deepEqual(await ben.teamsOn(two), [slug])
    const serious = [one, two].flatMap(({ log }) => log.filter((line) => JSON.parse(line).level >= 40))
    assert.deepEqual(serious, [])
  })
})

interface Change {
  nouns: string[]
  position: number
}

/** What a stream of events says has changed. */
async function* changesIn(response: Response): AsyncGenerator<Change> {
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const events = text.split('\n\n')
    text = events.pop()!
    for (const event of events) {
      const data = /^event: changed$/m.test(event) && /^data: (.*)$/m.exec(event)?.[1]
      if (data) yield JSON.parse(data) as Change
    }
  }
}
