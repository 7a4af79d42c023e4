import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { LogPiece } from '@signalbox/contract/app/runs.ts'
import { removeMember } from '../../../domain/accounts/workspaces/remove-member.ts'
import { stopRun } from '../../../domain/engine/lifecycle/stop.ts'
import { housekeeping } from '../../../domain/record/audit/change.ts'
import { appendLog } from '../../../domain/work/runs/log/append.ts'
import { testApp } from '../../../test/app.ts'
import { aMember, aRun, aStory, aTeam, aToken, aWorkspace } from '../../../test/factories.ts'
import { heartbeat } from '../../../test/heartbeat.ts'
import { patienceMs } from '../../../test/patience.ts'
import { signedIn } from '../../../test/signed-in.ts'
import { tables } from '../../../test/tables.ts'
import { until } from '../../../test/until.ts'
import { piecesOf } from './run-log.ts'

type App = Awaited<ReturnType<typeof testApp>>

async function aReader(app: App) {
  const workspace = await aWorkspace(app.storage.db)
  const member = { ...(await aMember(workspace, 'member')), slug: workspace.slug }
  const team = await aTeam(workspace)
  const run = await aRun(workspace, team, await aStory(workspace, team))
  // Its worker has reported, so that the engine does not take it for lost.
  await housekeeping(app.storage.db, 'a sign of life for a test', (tx) =>
    tables(tx)
      .updateTable('work_orders')
      .set({ lease_until: new Date(Date.now() + 3_600_000) })
      .where('run_id', '=', run.id)
      .execute(),
  )
  const browser = await signedIn(app, member)
  let number = 0
  return {
    workspace,
    member,
    run,
    browser,
    url: `${app.url}/api/w/${workspace.slug}/runs/${run.key}/log`,
    print: (...lines: string[]) => {
      number += 1
      const order = { workspaceId: workspace.workspaceId, runId: run.id, fence: 0 }
      return appendLog(workspace, order, { number, lines })
    },
    end: () => stopRun(member, run.key, { confirmed: true }),
  }
}

/** Reads a stream as a browser would, and remembers what it heard last. */
async function listen(url: string, cookie: string, lastId?: string) {
  const closing = new AbortController()
  const response = await fetch(url, {
    headers: { cookie, ...(lastId ? { 'last-event-id': lastId } : {}) },
    signal: closing.signal,
  })
  const heard = { lines: [] as [number, string][], ended: false, lastId: lastId ?? '', isOpen: true }
  const reading = (async () => {
    let text = ''
    for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) {
      text += bytes
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        )
        text = text.slice(end + 2)
        if (fields.has('id')) heard.lastId = fields.get('id')!
        if (fields.get('event') === 'end') heard.ended = true
        if (fields.get('event') !== 'lines') continue
        const piece = JSON.parse(fields.get('data')!) as LogPiece
        for (const [index, line] of piece.lines.entries()) heard.lines.push([piece.from + index, line])
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      heard.isOpen = false
    })
  return { response, heard, reading, close: () => closing.abort() }
}

describe('the stream of a run’s log', () => {
  let app: App
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  test('tells what is there, then what is printed, and ends with the run', async () => {
    const { url, browser, print, end } = await aReader(app)
    await print('one', 'two')
    const stream = await listen(url, browser.cookie)
    assert.equal(stream.response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.equal(stream.response.headers.get('x-accel-buffering'), 'no')
    await until('the first lines', () => stream.heard.lines.length === 2)
    await print('three')
    await until('the third line', () => stream.heard.lines.length === 3)
    assert.equal(stream.heard.ended, false)
    await print('four')
    await end()
    await stream.reading
    assert.deepEqual(stream.heard.lines, [
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
      [4, 'four'],
    ])
    assert.equal(stream.heard.ended, true)
  })

  test('ends at once for who was removed, and tells nothing that is printed later', async () => {
    const { workspace, member, url, browser, print } = await aReader(app)
    await print('one')
    const beforeHeartbeat = heartbeat()
    const stream = await listen(url, browser.cookie)
    await until('the first line', () => stream.heard.lines.length === 1)
    await removeMember(workspace, member.personId)
    await stream.reading
    beforeHeartbeat()
    await print('two')
    assert.deepEqual(stream.heard.lines, [[1, 'one']])
    assert.equal(stream.heard.ended, false)
  })

  test('goes on after the line the browser had last, without loss and without doubling', async () => {
    const { url, browser, print, end } = await aReader(app)
    await print('1', '2', '3')
    const first = await listen(url, browser.cookie)
    await until('the first lines', () => first.heard.lines.length === 3)
    first.close()
    await first.reading
    await print('4')
    const second = await listen(`${url}?after=1`, browser.cookie, first.heard.lastId)
    await print('5')
    await end()
    await second.reading
    assert.deepEqual(second.heard.lines, [
      [4, '4'],
      [5, '5'],
    ])
    const third = await listen(`${url}?after=4`, browser.cookie)
    await third.reading
    assert.deepEqual(third.heard.lines, [[5, '5']])
  })

  test('tells several listeners the same', async () => {
    const { url, browser, print, end } = await aReader(app)
    const streams = await Promise.all(Array.from({ length: 4 }, () => listen(url, browser.cookie)))
    for (let chunk = 0; chunk < 5; chunk += 1)
      await print(...Array.from({ length: 300 }, (_, i) => `${chunk} ${i}`))
    await end()
    await Promise.all(streams.map(({ reading }) => reading))
    for (const { heard } of streams) {
      assert.equal(heard.lines.length, 1_500)
      assert.deepEqual(heard, streams[0]!.heard)
      assert.ok(heard.lines.every(([position], index) => position === index + 1))
    }
  })

  test('is for members who are signed in', async () => {
    const { url, workspace, member } = await aReader(app)
    assert.equal((await fetch(url)).status, 401)
    const { token } = await aToken(member, ['read'])
    assert.equal((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status, 401)
    const other = await aReader(app)
    assert.equal((await fetch(url, { headers: { cookie: other.browser.cookie } })).status, 404)
    const missing = `${app.url}/api/w/${workspace.slug}/runs/run-zzzz/log`
    const mine = await signedIn(app, member)
    for (const path of [missing, `${missing}.txt`])
      assert.equal((await fetch(path, { headers: { cookie: mine.cookie } })).status, 404)
    const wrong = await fetch(`${url}?after=x`, { headers: { cookie: mine.cookie } })
    assert.equal(wrong.status, 400)
  })

  test('of another workspace’s run looks like one of a run that does not exist', async () => {
    const [here, there] = [await aReader(app), await aReader(app)]
    const url = `${app.url}/api/w/${here.workspace.slug}/runs/${there.run.key}/log`
    assert.equal((await fetch(url, { headers: { cookie: here.browser.cookie } })).status, 404)
  })

  test('can be had as a file', async () => {
    const { url, browser, print, run } = await aReader(app)
    await print('one', '\u001b[32mtwo\u001b[0m \u001b[2J')
    const response = await fetch(`${url}.txt`, { headers: { cookie: browser.cookie } })
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.match(
      response.headers.get('content-disposition') ?? '',
      new RegExp(`attachment; filename="${run.key}`),
    )
    assert.equal(await response.text(), 'one\ntwo \\u{1b}[2J\n')
  })
})

test('a server stops while logs are read', { timeout: patienceMs }, async () => {
  const app = await testApp()
  const { url, browser, print } = await aReader(app)
  await print('one')
  const stream = await listen(url, browser.cookie)
  await until('the first line', () => stream.heard.lines.length === 1)
  await app.stop()
  await stream.reading
})

test('pieces are bounded, and hold only lines that were printed together', () => {
  const [at, later] = [new Date(0), new Date(1)]
  const line = (position: number, attempt = 1, when = at, text = 'x') => ({
    position,
    attempt,
    at: when,
    text,
    colours: position === 2 ? '0+1r' : null,
  })
  assert.deepEqual(
    piecesOf([line(1), line(2), line(3, 2), line(4, 2, later)]).map(({ from, lines, colours }) => [
      from,
      lines.length,
      colours,
    ]),
    [
      [1, 2, { 1: '0+1r' }],
      [3, 1, undefined],
      [4, 1, undefined],
    ],
  )
  const long = '\u001b'.repeat(8_000)
  const pieces = piecesOf(Array.from({ length: 9 }, (_, index) => line(index + 1, 1, at, long)))
  for (const piece of pieces) assert.ok(Buffer.byteLength(JSON.stringify(piece)) < 65_536)
  assert.deepEqual(
    pieces.flatMap(({ from, lines }) => lines.map((_, index) => from + index)),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  )
})
