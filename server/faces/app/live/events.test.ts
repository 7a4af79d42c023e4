import assert from 'node:assert/strict'
import { after, before, describe, mock, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { revokeOtherSessions } from '../../../domain/accounts/people/revoke-session.ts'
import { changeRole } from '../../../domain/accounts/workspaces/change-role.ts'
import { deleteWorkspace } from '../../../domain/accounts/workspaces/delete.ts'
import { removeMember } from '../../../domain/accounts/workspaces/remove-member.ts'
import { change } from '../../../domain/record/audit/change.ts'
import { forgetNews, presentMoment } from '../../../domain/record/audit/news.ts'
import { pauseTeam } from '../../../domain/work/teams/pause.ts'
import { resumeTeam } from '../../../domain/work/teams/resume.ts'
import { inTransaction } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import { testApp } from '../../../test/app.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { heartbeat } from '../../../test/heartbeat.ts'
import { signedIn } from '../../../test/signed-in.ts'
import { tables } from '../../../test/tables.ts'
import { until } from '../../../test/until.ts'
import { AuditFeed } from '../../http/audit-feed.ts'

interface Heard {
  id: string
  event: string
  data: { nouns?: string[]; own?: Record<string, string[]> }
}

/** Reads a stream event by event. */
async function* eventsOf(response: Response): AsyncGenerator<Heard> {
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => line.split(/: (.*)/) as [string, string]),
      )
      text = text.slice(end + 2)
      if (fields.has('event') && fields.get('event') !== 'alive')
        yield {
          id: fields.get('id') ?? '',
          event: fields.get('event')!,
          data: JSON.parse(fields.get('data')!),
        }
    }
  }
}

describe('the stream of events', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  async function anAdmin() {
    const workspace = await aWorkspace(app.storage.db)
    const member = { ...(await aMember(workspace, 'admin')), slug: workspace.slug }
    const team = await aTeam(workspace)
    const { cookie } = await signedIn(app, member)
    const listen = (headers: Record<string, string> = {}) =>
      fetch(`${app.url}/api/w/${workspace.slug}/events`, { headers: { cookie, ...headers } })
    return { workspace, member, team, listen }
  }

  test('names what to read again when something changes, and nothing of its content', async () => {
    const { member, team, listen } = await anAdmin()
    const events = eventsOf(await listen())
    assert.equal((await events.next()).value!.event, 'listening')
    await pauseTeam(member, team.slug, 'a secret reason')
    const { value } = await events.next()
    assert.equal(value!.event, 'changed')
    assert.ok(value!.data.nouns!.includes('teams'))
    assert.doesNotMatch(JSON.stringify(value), /secret|reason/)
    await events.return(undefined)
  })

  test('names the request only to its sender, for the tab that has already read again', async () => {
    const { workspace, team, member, listen } = await anAdmin()
    const colleague = { ...(await aMember(workspace, 'admin')), slug: workspace.slug }
    const { cookie } = await signedIn(app, colleague)
    const theirs = await fetch(`${app.url}/api/w/${workspace.slug}/events`, { headers: { cookie } })
    const [own, others] = [eventsOf(await listen()), eventsOf(theirs)]
    await Promise.all([own.next(), others.next()])
    // The first news may report what was just before it.
    await pauseTeam(member, team.slug)
    await Promise.all([own.next(), others.next()])
    const { write } = await signedIn(app, member)
    await write('teams.resume', { team: team.slug }, { 'x-request-id': 'a-tab-s-own' })
    const { data } = (await own.next()).value!
    assert.deepEqual(data.nouns, [])
    assert.ok(data.own!['a-tab-s-own']!.includes('teams'))
    const heard = (await others.next()).value!.data
    assert.ok(heard.nouns!.includes('teams'))
    assert.deepEqual(heard.own, {})
    await Promise.all([own.return(undefined), others.return(undefined)])
  })

  test('tells after a break what was missed', async () => {
    const { member, team, listen } = await anAdmin()
    const first = eventsOf(await listen())
    const { id } = (await first.next()).value!
    await first.return(undefined)
    await pauseTeam(member, team.slug)
    await resumeTeam(member, team.slug)
    const again = eventsOf(await listen({ 'last-event-id': id }))
    const { value } = await again.next()
    assert.equal(value!.event, 'changed')
    assert.ok(value!.data.nouns!.includes('teams'))
    assert.notEqual(value!.id, id)
    await again.return(undefined)
  })

  test('tells it also while a transaction of anyone is older than the workspace', async () => {
    const { db } = app.storage
    await inTransaction(db, async (tx) => {
      await sql`select pg_current_xact_id()`.execute(tables(tx))
      const { member, team, listen } = await anAdmin()
      const first = eventsOf(await listen())
      const { id } = (await first.next()).value!
      await first.return(undefined)
      await pauseTeam(member, team.slug)
      const again = eventsOf(await listen({ 'last-event-id': id }))
      assert.equal((await again.next()).value!.event, 'changed')
      await again.return(undefined)
    })
  })

  test('is silent about other workspaces', async () => {
    const [mine, theirs] = [await anAdmin(), await anAdmin()]
    const events = eventsOf(await mine.listen())
    await events.next()
    await pauseTeam(theirs.member, theirs.team.slug)
    await pauseTeam(mine.member, mine.team.slug)
    const { value } = await events.next()
    assert.equal(value!.event, 'changed')
    await resumeTeam(mine.member, mine.team.slug)
    // One event each for the two changes of my own; theirs would have been a third.
    const { value: second } = await events.next()
    assert.notEqual(second!.id, value!.id)
    await events.return(undefined)
  })

  test('is for people who are signed in', async () => {
    const { member } = await anAdmin()
    assert.equal((await fetch(`${app.url}/api/w/${member.slug}/events`)).status, 401)
  })

  test('tells who was removed to read who they are, and ends at once', async () => {
    const { workspace, member, listen } = await anAdmin()
    const beforeHeartbeat = heartbeat()
    const events = eventsOf(await listen())
    await events.next()
    await removeMember(workspace, member.personId)
    assert.equal((await events.next()).value!.event, 'me')
    assert.deepEqual(await events.next(), { done: true, value: undefined })
    beforeHeartbeat()
  })

  test('ends at once with its session', async () => {
    const { member, listen } = await anAdmin()
    const beforeHeartbeat = heartbeat()
    const events = eventsOf(await listen())
    await events.next()
    await revokeOtherSessions(member, member.personId, newId(new Date()))
    assert.deepEqual(await events.next(), { done: true, value: undefined })
    beforeHeartbeat()
  })

  test('ends at once with its workspace', async () => {
    const { workspace, listen } = await anAdmin()
    const beforeHeartbeat = heartbeat()
    const events = eventsOf(await listen())
    await events.next()
    await deleteWorkspace(workspace, { slug: workspace.slug, name: workspace.slug })
    assert.equal((await events.next()).value!.event, 'me')
    assert.deepEqual(await events.next(), { done: true, value: undefined })
    beforeHeartbeat()
  })

  test('tells at once whose role has changed, and goes on', async () => {
    const { workspace, member, listen } = await anAdmin()
    const events = eventsOf(await listen())
    await events.next()
    await changeRole(workspace, member.personId, 'member')
    assert.equal((await events.next()).value!.event, 'me')
    assert.ok((await events.next()).value!.data.nouns!.includes('members'))
    await events.return(undefined)
  })

  test('goes on for who was not meant', async () => {
    const { workspace, listen } = await anAdmin()
    const other = await aMember(workspace, 'member')
    const events = eventsOf(await listen())
    await events.next()
    await removeMember(workspace, other.personId)
    const { value } = await events.next()
    assert.ok(value!.data.nouns!.includes('members'))
    await events.return(undefined)
  })

  test('a listener that joins while the only other one leaves is notified all the same', async () => {
    const { workspace, member, team } = await anAdmin()
    const desk = new AuditFeed(app.storage.db, (error) => assert.fail(String(error)))
    const first = await desk.listen(workspace.workspaceId, null, () => {})
    const heard: string[] = []
    const after = await presentMoment(app.storage.db)
    const coming = desk.listen(workspace.workspaceId, after, (news) =>
      heard.push(...news!.map(({ event }) => event)),
    )
    first.stop()
    const second = await coming
    await pauseTeam(member, team.slug)
    await until('it is told', () => heard.includes('team_paused'))
    second.stop()
  })

  test('one question asks for the news of all workspaces that are watched, and each hears its own', async () => {
    const watched = await Promise.all(Array.from({ length: 5 }, anAdmin))
    const desk = new AuditFeed(app.storage.db, (error) => assert.fail(String(error)))
    const heard: string[][] = watched.map(() => [])
    const listening = await Promise.all(
      watched.map(({ workspace }, place) =>
        desk.listen(workspace.workspaceId, null, (news) =>
          heard[place]!.push(...news!.map(({ event }) => event)),
        ),
      ),
    )
    const sent = mock.method(pg.Client.prototype, 'query').mock
    const begun = performance.now()
    for (const place of [1, 4]) await pauseTeam(watched[place]!.member, watched[place]!.team.slug)
    await until('both are told', () => heard[1]!.length > 0 && heard[4]!.length > 0)
    const looks = Math.ceil((performance.now() - begun) / 400)
    const asked = sent.calls.filter(({ arguments: [first] }) =>
      /from audit_news/.test((first as { text?: string }).text ?? ''),
    )
    sent.restore()
    for (const { stop } of listening) stop()
    assert.deepEqual(heard, [[], ['team_paused'], [], [], ['team_paused']])
    assert.ok(asked.length > 0 && asked.length <= looks, `${asked.length} questions in ${looks} looks`)
  })

  const clocks = { 'an hour ahead': 3_600_000, 'an hour behind': -3_600_000, 'set back meanwhile': -5_000 }
  for (const [says, ahead] of Object.entries(clocks)) {
    test(`tells of a change whose node has a clock that is ${says}`, async () => {
      const { member, team, listen } = await anAdmin()
      const events = eventsOf(await listen())
      await events.next()
      await pauseTeam(member, team.slug)
      assert.ok((await events.next()).value!.data.nouns!.includes('teams'))
      const clock = { now: () => new Date(Date.now() + ahead) }
      await resumeTeam({ ...member, clock }, team.slug)
      assert.ok((await events.next()).value!.data.nouns!.includes('teams'))
      await pauseTeam(member, team.slug)
      assert.ok((await events.next()).value!.data.nouns!.includes('teams'))
      await events.return(undefined)
    })
  }

  test('tells of a change that takes long to commit, after later ones were told of', async () => {
    const { member, team, listen } = await anAdmin()
    const events = eventsOf(await listen())
    await events.next()
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = change(member, async (tx) => {
      await sql`select pg_current_xact_id()`.execute(tables(tx))
      begun.resolve()
      await end.promise
      return {
        value: null,
        audit: {
          event: 'token_revoked',
          entity: { type: 'token', id: newId(new Date()) },
          details: { prefix: 'tk_' },
        },
      }
    })
    await begun.promise
    await pauseTeam(member, team.slug)
    assert.ok((await events.next()).value!.data.nouns!.includes('teams'))
    end.resolve()
    await slow
    assert.ok((await events.next()).value!.data.nouns!.includes('tokens'))
    await events.return(undefined)
  })

  test('after a storm that is too much to tell says to read everything again, and hears what comes', async () => {
    const { workspace, member, team, listen } = await anAdmin()
    const events = eventsOf(await listen())
    await events.next()
    await change(workspace, async () => ({
      value: null,
      audit: Array.from({ length: 2_500 }, () => ({
        event: 'team_resumed' as const,
        entity: { type: 'team' as const, id: team.slug },
      })),
    }))
    assert.equal((await events.next()).value!.event, 'reset')
    for (const act of [pauseTeam, resumeTeam, pauseTeam]) {
      await act(member, team.slug)
      assert.equal((await events.next()).value!.event, 'changed')
    }
    await events.return(undefined)
  })

  test('tells a browser whose last event no one knows any more to read everything again', async () => {
    const { workspace, listen } = await anAdmin()
    const future = '4000000000000:4000000000000:'
    for (const id of [newId(new Date()), future, '1:1:', 'nonsense']) {
      const events = eventsOf(await listen({ 'last-event-id': id }))
      assert.equal((await events.next()).value!.event, 'reset', id)
      await events.return(undefined)
    }
    await app.storage.pool.query(
      `update audit_news set written_at = now() - interval '2 days' where workspace_id = $1`,
      [workspace.workspaceId],
    )
    const now = await presentMoment(app.storage.db)
    await forgetNews(app.storage.db)
    const events = eventsOf(await listen({ 'last-event-id': now }))
    assert.equal((await events.next()).value!.event, 'reset')
    await events.return(undefined)
  })

  test('does not keep the server from stopping', async () => {
    const other = await testApp()
    const workspace = await aWorkspace(other.storage.db)
    const member = { ...(await aMember(workspace, 'member')), slug: workspace.slug }
    const { cookie } = await signedIn(other, member)
    const events = eventsOf(
      await fetch(`${other.url}/api/w/${workspace.slug}/events`, { headers: { cookie } }),
    )
    await events.next()
    await other.stop()
    assert.equal((await events.next().catch(() => ({ done: true }))).done, true)
  })
})
