import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { type AuditEntry, auditEvents } from '../contract/audit.ts'
import type { Team } from '../contract/team.ts'
import {
  type Page,
  type Reply,
  refused,
  signalbox,
  startDemo,
  temporaryFolder,
  until,
  withQuery,
} from './demo.ts'

/** The audit log: reading, filtering, exporting, proving. Filters are compared with the same filter done here. */

const demo = await startDemo()
const { people, workspace } = demo.started

// A name that a spreadsheet would run as a formula: operators write what they like, and the log keeps it.
const hostileName = '=HYPERLINK("https://evil.example.com";"Kim, \\"the\\"\nsecond line")'
await demo.admin(
  ...['person', 'create', '--workspace', workspace, '--email', 'kim@example.com', '--name', hostileName],
)

const teams = (await demo.get<Page<Team>>('/v1/teams')).data

/**
 * What happened before the tests began. The demo's runs go on and write; what is past stays as it is. The second is for
 * what was stamped and not yet committed.
 */
const past = new Date(Date.now() - 1_000).toISOString()
const isPast = ({ timestamp }: AuditEntry) => timestamp < past
const log = (await demo.all<AuditEntry>('/v1/audit')).filter(isPast)
const middle = log[Math.floor(log.length / 2)]!
const day = middle.timestamp.slice(0, 10)

/** What of the past a query finds. */
const found = async (query: Record<string, string>) =>
  (await demo.all<AuditEntry>(withQuery('/v1/audit', query))).filter(isPast)
const ids = (entries: AuditEntry[]) => entries.map(({ id }) => id)

interface Filter {
  team?: string | undefined
  actor?: string | undefined
  event?: string | undefined
  run?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** What the filter means, said again without the product: dates are whole UTC days, both ends belong to the range. */
function matches(entry: AuditEntry, { team, actor, event, run, from, to }: Filter): boolean {
  const start = from === undefined ? undefined : Date.parse(from)
  const end =
    to === undefined ? undefined : to.length === 10 ? Date.parse(`${to}T23:59:59.999Z`) : Date.parse(to)
  const at = Date.parse(entry.timestamp)
  return (
    (team === undefined || entry.team === team) &&
    (actor === undefined || entry.actor.type === actor) &&
    (event === undefined || entry.event === event) &&
    (run === undefined || entry.runKey === run) &&
    (start === undefined || at >= start) &&
    (end === undefined || at <= end)
  )
}

const given = (filter: Filter) =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >

async function filtersLike(filter: Filter): Promise<number> {
  const expected = log.filter((entry) => matches(entry, filter))
  same(await found(given(filter)), expected, JSON.stringify(filter))
  return expected.length
}

/** The ids are compared first, because a difference of whole entries fills pages. */
function same(entries: AuditEntry[], expected: AuditEntry[], what: string): void {
  assert.deepEqual(ids(entries), ids(expected), what)
  assert.ok(isDeepStrictEqual(entries, expected), `the same ids, but not the same entries: ${what}`)
}

describe('GET /v1/audit', () => {
  test('is newest first', () => {
    assert.ok(log.length > 200)
    assert.ok(log.every(({ timestamp }, at) => at === 0 || log[at - 1]!.timestamp >= timestamp))
  })
})

describe('Filters of the audit log', () => {
  test('team', async () => {
    for (const { slug } of teams) assert.ok((await filtersLike({ team: slug })) > 0, slug)
  })

  test('actor: human, service, system', async () => {
    for (const actor of ['human', 'service', 'system']) assert.ok((await filtersLike({ actor })) > 0, actor)
  })

  test('event, every type', async () => {
    for (const event of auditEvents) await filtersLike({ event })
  })

  test('run', async () => {
    const runs = [...new Set(log.flatMap(({ runKey }) => runKey ?? []))]
    assert.ok(runs.length > 10)
    for (const run of runs.slice(0, 12)) assert.ok((await filtersLike({ run })) > 0, run)
  })

  test('from and to, as dates', async () => {
    assert.ok((await filtersLike({ to: day })) > 0)
    assert.ok((await filtersLike({ from: day, to: day })) > 0)
    const days = [...new Set(log.map(({ timestamp }) => timestamp.slice(0, 10)))]
    for (const one of days.slice(1)) await filtersLike({ from: one, to: one })
    assert.equal(await filtersLike({ to: '2001-01-01' }), 0)
    assert.equal(await filtersLike({ from: '2101-01-01' }), 0)
  })

  test('from and to, as timestamps, both ends inclusive', async () => {
    const at = (moment: string, milliseconds: number) =>
      new Date(Date.parse(moment) + milliseconds).toISOString()
    const moment = middle.timestamp
    const exactly = await demo.all<AuditEntry>(withQuery('/v1/audit', { from: moment, to: moment }))
    assert.ok(ids(exactly).includes(middle.id))
    assert.ok(exactly.every(({ timestamp }) => timestamp === moment))
    const oldest = log.at(-1)!.timestamp
    for (const filter of [
      { from: oldest, to: moment },
      { from: at(oldest, 1), to: moment },
      { from: moment, to: log[20]!.timestamp },
      { from: oldest, to: at(moment, -1) },
      { from: at(moment, 1), to: log[20]!.timestamp },
      { from: day, to: moment },
      { from: moment, to: day },
    ])
      await filtersLike(filter)
  })

  test('an offset is honoured, and a missing one means UTC', async () => {
    const utc = middle.timestamp
    const shifted = (hours: number) =>
      new Date(Date.parse(utc) + hours * 3_600_000).toISOString().replace('Z', '')
    const expected = log.filter((entry) => matches(entry, { from: utc, to: utc }))
    for (const spelling of [
      utc,
      `${shifted(2)}+02:00`,
      `${shifted(-5)}-05:00`,
      `${shifted(0)}+00:00`,
      shifted(0),
    ]) {
      same(await found({ from: spelling, to: spelling }), expected, spelling)
    }
  })

  test('display names are accepted for event', async () => {
    const names: Record<string, string> = {
      'Service changed': 'service_changed',
      'Signal source changed': 'signal_source_changed',
      'Signal received': 'signal_received',
      'Incident opened': 'incident_opened',
      'Incident updated': 'incident_updated',
      'Incident resolved': 'incident_resolved',
      'Alert updated in source': 'alert_updated_in_source',
      'signal received': 'signal_received',
      SIGNAL_RECEIVED: 'signal_received',
      'decision resolved': 'decision_resolved',
    }
    for (const [name, event] of Object.entries(names)) {
      const expected = log.filter((entry) => entry.event === event)
      assert.ok(expected.length > 0, event)
      same(await found({ event: name }), expected, name)
    }
  })

  test('"the service" in several spellings means the service as actor', async () => {
    const expected = log.filter(({ actor }) => actor.type === 'service')
    for (const actor of [
      'the service',
      'The service',
      'THE SERVICE',
      'the_service',
      'the-service',
      'service',
      'Service',
    ])
      same(await found({ actor }), expected, actor)
  })

  test('any combination of filters is what each of them leaves', async () => {
    const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
    const moments = log.filter((_, at) => at % 7 === 0).map(({ timestamp }) => timestamp)
    const ranges = fc
      .tuple(maybe([...moments, ...moments.map((moment) => moment.slice(0, 10))]), maybe(moments))
      // A date in front of a moment of its own day is in order too: the date means its first millisecond.
      .map((ends) => ends.toSorted())
    // Filters that belong to one entry, so that combinations do not all come out empty.
    const combinations = fc
      .tuple(fc.constantFrom(...log), fc.subarray(['team', 'actor', 'event', 'run'] as const), ranges)
      .map(([{ team, actor, event, runKey }, chosen, [from, to]]): Filter => {
        const all = { team: team ?? undefined, actor: actor.type, event, run: runKey ?? undefined }
        return { ...Object.fromEntries(chosen.map((name) => [name, all[name]])), from, to }
      })
    const held = fc.asyncProperty(combinations, async (filter) => {
      await filtersLike(filter)
    })
    await fc.assert(held, { numRuns: 25 })
  })

  test('from later than to is 400', async () => {
    const later = middle.timestamp
    const earlier = log.at(-1)!.timestamp
    for (const [from, to] of [
      ['2026-03-02', '2026-03-01'],
      [later, earlier],
      ['2026-03-02', '2026-03-01T23:59:59.999Z'],
      ['2026-03-02T00:00:00Z', '2026-03-01'],
      // Later as text, earlier as a moment: 22:30Z on the day before against 23:00Z.
      ['2026-03-01T23:00:00Z', '2026-03-02T00:30:00+02:00'],
    ])
      refused(
        await demo.ask(withQuery('/v1/audit', { from: from!, to: to! })),
        400,
        'invalid_parameter',
        `${from} to ${to}`,
      )
  })

  test('from equal to to is fine', async () => {
    for (const moment of ['2026-03-01', '2026-03-01T12:00:00Z'])
      assert.equal((await demo.ask(withQuery('/v1/audit', { from: moment, to: moment }))).status, 200)
  })

  test('a moment that does not exist is 400, and the message names the parameter', async () => {
    for (const moment of [
      '2026-02-30',
      '2027-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-04-31T10:00:00Z',
      '2026-01-01T25:00:00Z',
      '2026-01-01T10:60:00Z',
      '2026-1-1',
      '01.01.2026',
      'yesterday',
      '1767225600',
      '',
    ]) {
      for (const name of ['from', 'to']) {
        const message = refused(
          await demo.ask(withQuery('/v1/audit', { [name]: moment })),
          400,
          'invalid_parameter',
          `${name}=${moment}`,
        )
        assert.ok(message.includes(`\`${name}\``), message)
      }
    }
    assert.equal((await demo.ask('/v1/audit?to=2028-02-29')).status, 200, 'a leap day exists')
  })

  test('an unknown actor or event is 400 and the message lists the allowed ones', async () => {
    const ofActor = refused(await demo.ask('/v1/audit?actor=robot'), 400, 'invalid_parameter')
    for (const actor of ['human', 'service', 'system']) assert.ok(ofActor.includes(actor))
    const ofEvent = refused(await demo.ask('/v1/audit?event=nonsense'), 400, 'invalid_parameter')
    for (const event of ['decision_resolved', 'signal_received']) assert.ok(ofEvent.includes(event))
  })

  test('a team or run that is not there is an empty page; a malformed run key is 400', async () => {
    const empty = { data: [], nextCursor: null }
    assert.deepEqual(await demo.get('/v1/audit?team=no-such-team'), empty)
    assert.deepEqual(await demo.get('/v1/audit?run=run-0000'), empty)
    refused(await demo.ask('/v1/audit?run=nonsense'), 400, 'invalid_parameter')
  })
})

/** An export that must succeed. */
async function anExport(parameters: Record<string, string> = {}, token = demo.tokens.owner): Promise<Reply> {
  const reply = await demo.ask(withQuery('/v1/audit/export', parameters), { token })
  assert.equal(reply.status, 200, reply.text)
  return reply
}

const columns = [
  'id',
  'timestamp',
  'actor_type',
  'actor_name',
  'actor_user_id',
  'team',
  'run_key',
  'event',
  'result',
  'entity_type',
  'entity_id',
  'entity_name',
  'details',
]

const cellsOf = (entry: AuditEntry): (string | null)[] => [
  entry.id,
  entry.timestamp,
  entry.actor.type,
  entry.actor.name,
  entry.actor.userId,
  entry.team,
  entry.runKey,
  entry.event,
  entry.result,
  entry.entity.type,
  entry.entity.id,
  entry.entity.name,
  JSON.stringify(entry.details),
]

/** RFC 4180, one character at a time, so that nothing is shared with how the product writes it. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!
    if (quoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else quoted = false
    } else if (character === '"') {
      assert.equal(cell, '', `a quote inside a bare cell at ${at}`)
      quoted = true
    } else if (character === ',') {
      row.push(cell)
      cell = ''
    } else if (character === '\r' && text[at + 1] === '\n') {
      rows.push([...row, cell])
      row = []
      cell = ''
      at += 1
    } else {
      assert.ok(character !== '\r' && character !== '\n', `a bare line break at ${at}`)
      cell += character
    }
  }
  assert.deepEqual([quoted, row, cell], [false, [], ''], 'the file ends with a line break')
  return rows
}

// All end in the past, so that a read and an export of the same filter have the same to tell.
const filters: Record<string, string>[] = [
  { to: log[0]!.timestamp },
  { event: 'decision_resolved', to: log[0]!.timestamp },
  { actor: 'the service', team: teams[0]!.slug, to: log[0]!.timestamp },
  { from: day, to: day },
  { from: middle.timestamp, actor: 'human', to: log[0]!.timestamp },
  { event: 'Signal received' },
  { event: 'team_deleted' },
]

describe('GET /v1/audit/export', () => {
  test('as JSON it is exactly what a filtered read returns, in the same order', async () => {
    for (const filter of filters) {
      const read = await demo.all<AuditEntry>(withQuery('/v1/audit', filter))
      const reply = await anExport({ format: 'json', ...filter })
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
      same(JSON.parse(reply.text), read, JSON.stringify(filter))
      assert.equal(reply.headers.get('x-service-export-count'), String(read.length))
    }
  })

  test('as CSV it holds the same entries in the same order', async () => {
    for (const filter of filters) {
      const read = await demo.all<AuditEntry>(withQuery('/v1/audit', filter))
      const reply = await anExport({ format: 'csv', ...filter })
      assert.match(reply.headers.get('content-type') ?? '', /^text\/csv; ?charset=utf-8/)
      assert.ok(!reply.text.startsWith('\ufeff'), 'no byte order mark')
      const [header, ...rows] = parseCsv(reply.text)
      assert.deepEqual(header, columns)
      assert.equal(rows.length, read.length)
      for (const [at, row] of rows.entries()) {
        const cells = cellsOf(read[at]!).map((cell) => cell ?? '')
        // An apostrophe in front is the one thing that a cell may have more.
        assert.deepEqual(
          row.map((cell, column) => (cells[column] === cell ? cell : cell.replace(/^'/, ''))),
          cells,
        )
      }
      assert.equal(reply.headers.get('x-service-export-count'), String(read.length))
    }
  })

  test('no CSV cell can be run as a formula by a spreadsheet', async () => {
    const reply = await anExport({ format: 'csv', event: 'member_joined' })
    const rows = parseCsv(reply.text).slice(1)
    const dangerous = /^[\s\u00a0]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/
    for (const row of rows)
      for (const cell of row)
        for (const line of [cell, ...cell.split(/[\r\n]+/)]) {
          if (dangerous.test(line)) assert.ok(cell.startsWith("'"), cell)
        }
    const hostile = rows.flat().filter((cell) => cell.includes('HYPERLINK'))
    assert.ok(hostile.includes(`'${hostileName}`), JSON.stringify(hostile))
    const json: AuditEntry[] = JSON.parse((await anExport({ format: 'json', event: 'member_joined' })).text)
    assert.ok(
      json.some(({ entity }) => entity.name === hostileName),
      'JSON is the lossless format',
    )
  })

  test('without format it is JSON', async () => {
    const reply = await anExport({ event: 'decision_resolved' })
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
    assert.deepEqual(
      (JSON.parse(reply.text) as AuditEntry[]).filter(isPast),
      log.filter(({ event }) => event === 'decision_resolved'),
    )
  })

  test('it is a file: an attachment named after workspace and range', async () => {
    for (const format of ['json', 'csv']) {
      const { headers } = await anExport({ format, from: '2026-01-01', to: '2026-03-31' })
      const disposition = headers.get('content-disposition') ?? ''
      const [, name] = /^attachment; filename="([^"]+)"$/.exec(disposition) ?? []
      assert.ok(name, disposition)
      assert.ok(name.endsWith(`.${format}`), disposition)
      for (const part of ['2026-01-01', '2026-03-31', workspace]) assert.ok(name.includes(part), disposition)
    }
  })

  test('X-Service-Export-Truncated is absent when everything was exported', async () => {
    for (const filter of filters)
      assert.equal((await anExport(filter)).headers.get('x-service-export-truncated'), null)
  })

  test('every export is recorded: who, when, format, date range', async () => {
    const range = { from: '2026-01-01', to: '2101-12-31' }
    const cases = [
      { token: demo.tokens.owner, parameters: { format: 'csv', ...range }, email: people.owner.email },
      {
        token: demo.tokens.admin,
        parameters: { format: 'json', team: teams[0]!.slug },
        email: people.admin.email,
      },
    ]
    for (const { token, parameters } of cases) {
      const started = Date.now()
      const reply = await anExport(parameters, token)
      const [record] = await newestExports(1)
      assert.ok(record)
      assert.equal(record.event, 'audit_exported')
      assert.equal(record.result, 'success')
      assert.equal(record.entity.type, 'audit_export')
      assert.equal(record.entity.id, reply.headers.get('x-service-export-id'))
      assert.equal(record.actor.type, 'human')
      assert.ok(Date.parse(record.timestamp) >= started - 1 && Date.parse(record.timestamp) <= Date.now())
      const { format, from, to, count, channel } = record.details
      const asked: Record<string, string> = parameters
      assert.deepEqual(
        { format, from, to, count, channel },
        {
          format: asked.format,
          from: asked.from ?? null,
          to: asked.to ?? null,
          count: Number(reply.headers.get('x-service-export-count')),
          channel: 'api',
        },
      )
    }
    const [byAdmin, byOwner] = await newestExports(2)
    assert.notEqual(byAdmin!.actor.userId, byOwner!.actor.userId)
    assert.equal(byOwner!.actor.name, nameOf(demo.tokens.owner))
    assert.equal(byAdmin!.actor.name, nameOf(demo.tokens.admin))
  })

  const newestExports = async (count: number) =>
    (await demo.get<Page<AuditEntry>>(`/v1/audit?event=audit_exported&limit=${count}`)).data
  const exportsSoFar = async () => (await demo.all('/v1/audit?event=audit_exported')).length

  /** The log itself says whose a token is. */
  const nameOf = (token: string) =>
    log.find(({ event, details }) => event === 'token_created' && details.prefix === token.slice(0, 11))
      ?.actor.name

  test('an export never contains its own record; the next one does', async () => {
    const first = await anExport({ event: 'audit_exported' })
    const id = first.headers.get('x-service-export-id')!
    const entities = (reply: Reply) => (JSON.parse(reply.text) as AuditEntry[]).map(({ entity }) => entity.id)
    assert.ok(!entities(first).includes(id))
    assert.equal(entities(await anExport({ event: 'audit_exported' }))[0], id)
  })

  test('limit and cursor are unknown here, format takes csv and json, and filters are checked as in a read', async () => {
    const before = await exportsSoFar()
    const { nextCursor } = await demo.get<Page<AuditEntry>>('/v1/audit?limit=1')
    const wrong: [Record<string, string>, string][] = [
      [{ limit: '10' }, 'unknown_parameter'],
      [{ cursor: nextCursor! }, 'unknown_parameter'],
      [{ form: '2026-01-01' }, 'unknown_parameter'],
      [{ format: 'xml' }, 'invalid_parameter'],
      [{ format: '' }, 'invalid_parameter'],
      [{ format: 'CSV' }, 'invalid_parameter'],
      [{ from: '2026-02-30' }, 'invalid_parameter'],
      [{ from: '2026-03-02', to: '2026-03-01' }, 'invalid_parameter'],
      [{ actor: 'robot' }, 'invalid_parameter'],
    ]
    for (const [parameters, code] of wrong)
      refused(
        await demo.ask(withQuery('/v1/audit/export', parameters)),
        400,
        code,
        JSON.stringify(parameters),
      )
    assert.equal(await exportsSoFar(), before, 'what was refused is not recorded as an export')
  })

  test('HEAD is 405, because it must not write', async () => {
    const before = await exportsSoFar()
    const head = await demo.raw('/v1/audit/export', { method: 'HEAD' })
    assert.equal(head.status, 405)
    assert.ok(!/HEAD/.test(String(head.headers.allow)), String(head.headers.allow))
    assert.match(String(head.headers.allow), /GET/)
    assert.equal(await exportsSoFar(), before)
  })
})

describe('Reading while entries are written', () => {
  test('an entry written during a walk through the pages is neither repeated nor does it shift them', async () => {
    const first = await demo.get<Page<AuditEntry>>('/v1/audit?limit=10')
    await anExport({ event: 'team_deleted' })
    const second = await demo.get<Page<AuditEntry>>(`/v1/audit?limit=10&cursor=${first.nextCursor}`)
    const whole = await demo.all<AuditEntry>('/v1/audit')
    const from = ids(whole).indexOf(first.data[0]!.id)
    assert.ok(from > 0, 'something was written since')
    assert.deepEqual([...first.data, ...second.data], whole.slice(from, from + 20))
  })
})

describe('Proof of the log', () => {
  test('verify-audit proves the log of the running server', async () => {
    const [all, one] = await Promise.all([
      demo.signalbox('verify-audit'),
      demo.signalbox('verify-audit', '--workspace', workspace),
    ])
    for (const { code, stdout, stderr } of [all, one]) {
      assert.deepEqual([code, stderr], [0, ''], stdout)
      assert.match(stdout, /verified/i)
    }
    assert.ok(all.stdout.includes(one.stdout.split(' ')[1]!), 'every workspace, or the one that is asked for')
  })
})

describe('Proof of an export', () => {
  const filter = { event: 'decision_resolved' }
  const files: Record<string, { text: string; proof: string }> = {}
  let folder: string
  let key: string

  before(async () => {
    folder = await temporaryFolder()
    key = (await demo.signalbox('verify-audit', '--print-key', '--workspace', workspace)).stdout.trim()
    for (const format of ['json', 'csv']) {
      const reply = await anExport({ format, ...filter })
      const proof = path.join(folder, `${format}.proof`)
      await writeFile(proof, await proofOf(reply))
      files[format] = { text: reply.text, proof }
    }
  })

  /** The address is in the Link header; until the newest entries are sealed it answers 503. */
  async function proofOf(reply: Reply): Promise<string> {
    const [, address] = /<([^>]+)>/.exec(reply.headers.get('link') ?? '') ?? []
    assert.ok(address, 'an export names its proof in the Link header')
    let text = ''
    await until('the export can be proved', async () => {
      const proof = await demo.ask(address)
      if (proof.status === 503) {
        assert.match(proof.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
        return false
      }
      assert.equal(proof.status, 200, proof.text)
      text = proof.text
      return true
    })
    return text
  }

  let numbered = 0
  /** Offline: the data folder it is given is empty, and stays so. */
  async function verify(text: string, proof: string, trusted = ['--key', key]) {
    numbered += 1
    const file = path.join(folder, `export-${numbered}`)
    await writeFile(file, text)
    const args = ['verify-audit', '--file', file, '--proof', proof, ...trusted]
    return signalbox(path.join(folder, 'nothing'), args)
  }

  async function isFound(text: string, format: string, ...named: string[]): Promise<void> {
    const { code, stdout } = await verify(text, files[format]!.proof)
    assert.equal(code, 1, `${format}: ${stdout}`)
    for (const id of named) assert.ok(stdout.includes(id), `${id} in ${stdout}`)
  }

  const entriesOf = () => JSON.parse(files.json!.text) as AuditEntry[]
  /** The lines of the CSV; no cell of these entries spans lines. */
  const linesOf = () => {
    const lines = files.csv!.text.trimEnd().split('\r\n')
    assert.equal(lines.length, entriesOf().length + 1)
    return lines
  }
  const csvOf = (lines: string[]) => `${lines.join('\r\n')}\r\n`

  test('the file as it was downloaded is proved, JSON and CSV', async () => {
    const verdicts = Object.values(files).map(({ text, proof }) => verify(text, proof))
    for (const { code, stdout, stderr } of await Promise.all(verdicts)) {
      assert.deepEqual([code, stderr], [0, ''], stdout)
      assert.match(stdout, new RegExp(`\\b${entriesOf().length} entries`))
    }
  })

  test('without the key of the workspace the file is whole, and its signer unknown', async () => {
    const { text, proof } = files.json!
    const { code, stdout } = await verify(text, proof, [])
    assert.equal(code, 3, stdout)
    assert.match(stdout, /^Signature valid, signer unknown: /)
    assert.doesNotMatch(stdout, /verified/i)
  })

  test('a changed entry is named', async () => {
    const [changed] = entriesOf().slice(2)
    const tampered = entriesOf().map((entry) =>
      entry.id === changed!.id ? { ...entry, actor: { ...entry.actor, name: 'Somebody Else' } } : entry,
    )
    const lines = linesOf().map((line) =>
      line.includes(changed!.id) ? line.replace(changed!.actor.name, 'Somebody Else') : line,
    )
    await Promise.all([
      isFound(JSON.stringify(tampered), 'json', changed!.id),
      isFound(csvOf(lines), 'csv', changed!.id),
    ])
  })

  test('a deleted entry is named', async () => {
    const [gone] = entriesOf().slice(3)
    await Promise.all([
      isFound(JSON.stringify(entriesOf().filter(({ id }) => id !== gone!.id)), 'json', gone!.id),
      isFound(csvOf(linesOf().filter((line) => !line.includes(gone!.id))), 'csv', gone!.id),
    ])
  })

  test('two swapped entries are named', async () => {
    const entries = entriesOf()
    const [first, second] = [entries[4]!, entries[5]!]
    const lines = linesOf()
    await Promise.all([
      isFound(JSON.stringify(entries.with(4, second).with(5, first)), 'json', first.id, second.id),
      isFound(csvOf(lines.with(5, lines[6]!).with(6, lines[5]!)), 'csv', first.id, second.id),
    ])
  })

  test('an added entry is named', async () => {
    const forged = { ...entriesOf()[0]!, id: middle.id.replace(/.{4}$/, '0000') }
    await isFound(JSON.stringify([forged, ...entriesOf()]), 'json', forged.id)
  })

  test('a proof of another export proves nothing about this one', async () => {
    const other = await anExport({ event: 'run_started' })
    const { code } = await verify(other.text, files.json!.proof)
    assert.equal(code, 1)
  })

  test("another workspace's owner and a member cannot fetch it", async () => {
    const reply = await anExport(filter)
    const [, address] = /<([^>]+)>/.exec(reply.headers.get('link') ?? '')!
    refused(await demo.ask(address!, { token: demo.tokens.otherWorkspace }), 404, 'export_not_found')
    refused(await demo.ask(address!, { token: demo.tokens.member }), 403, 'insufficient_role')
  })
})
