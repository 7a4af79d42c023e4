import pg from 'pg'
import type { Connection } from '../server/infra/db/embedded.ts'
import { aToken } from '../server/test/factories.ts'
import { type Figure, median } from './figures.ts'
import { type Asked, loadEach } from './load.ts'
import type { PlainInput } from './peers/plain.ts'
import { residentMegabytes, start } from './process.ts'
import { connections, openSite, type Site } from './site.ts'

const callers = 32
const pageSize = 25
/** Where pages begin that are asked for in turns. */
const beginnings = 800
const seconds = 2
const target = 0.9

const leftOut = 'token, rate limit, cursor, etag, compression, metrics, log'

/** One kind of read: what each caller asks here, in turns, and the same of the peer. */
interface Kind {
  what: string
  ours: string[][]
  plain: string[][]
}

/**
 * Reads by 32 callers, each with a token and a question of its own, in turns with two peers on the same machine: what the
 * same rows cost by hand (Fastify, `pg`, one prepared statement), and what sending the same bytes costs at least.
 */
export async function readFigures(cluster: Connection, { isQuick = false } = {}): Promise<Figure[]> {
  const slugs = Array.from({ length: callers }, (_, caller) => `bench-${caller}`)
  const site = await openSite(cluster, 'bench_reads', callers)
  await fill(site)
  const tokens = await Promise.all(slugs.map(async () => (await aToken(site.owner, ['read'])).token))
  const server = await site.serve()
  const headers = tokens.map((token) => ({ Authorization: `Bearer ${token}` }))
  const get = async (path: string, caller: number) => {
    const response = await fetch(server.url + path, { headers: headers[caller]! })
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
    return response.text()
  }
  const input: PlainInput = {
    connection: site.connection,
    connections,
    workspaceId: site.owner.workspaceId,
  }
  const plain = await start(['bench/peers/plain.ts'], {}, JSON.stringify(input))
  const kinds = [
    await polled(get, slugs),
    await otherPages(get),
    {
      what: '`GET /v1/teams/{slug}`',
      ours: slugs.map((slug) => [`/v1/teams/${slug}`]),
      plain: slugs.map((slug) => [`/teams/${slug}`]),
    },
    await pages(get, await lastIds(site)),
  ]
  const figures: Figure[] = []
  for (const kind of kinds) {
    const firsts = kind.ours.map(([first]) => first!)
    const bodies = await Promise.all(firsts.map(get))
    await sameBytes(
      bodies,
      plain.line,
      kind.plain.map(([first]) => first!),
    )
    const limit = isQuick
      ? null
      : await start(
          ['bench/peers/limit.ts'],
          {},
          JSON.stringify(Object.fromEntries(firsts.map((path, caller) => [path, bodies[caller]]))),
        )
    figures.push(
      ...(await against(
        { what: kind.what, bytes: median(bodies.map((body) => Buffer.byteLength(body))) },
        kind.ours.map((paths, caller) =>
          paths.map((path) => ({ url: server.url + path, headers: headers[caller]! })),
        ),
        kind.plain.map((paths) => paths.map((path) => ({ url: plain.line + path, headers: {} }))),
        limit && firsts.map((path) => [{ url: limit.line + path, headers: {} }]),
        isQuick ? 3 : 5,
      )),
    )
    await limit?.stop()
  }
  if (!isQuick) figures.push(...(await memoryFigure(server.pid)))
  await plain.stop()
  await server.stop()
  await site.close()
  return figures
}

/** More than a page of decisions for each team, and what making the teams left in the audit log, many times over. */
async function fill(site: Site): Promise<void> {
  await site.addWaiting(2_000)
  const filler = new pg.Client(site.connection)
  await filler.connect()
  // Entries as the decisions' own making writes them, copied past the domain: only their number and size matter here.
  await filler.query("set session_replication_role = 'replica'")
  await filler.query(
    `insert into audit_entries (id, workspace_id, team, actor_type, event, run_key, entry)
     select n.id, workspace_id, team, actor_type, event, run_key, replace(entry, e.id::text, n.id::text)
     from (select *, row_number() over (order by id) as number from audit_entries) as e
     join (
       select number, (lpad(to_hex((extract(epoch from now()) * 1000)::bigint + number), 12, '0')
         || '70008' || lpad(to_hex(number), 15, '0'))::uuid as id
       from generate_series(1, $1::int) as number
     ) as n on e.number = n.number % (select count(*) from audit_entries) + 1`,
    [callers * 100],
  )
  await filler.query('vacuum analyze audit_entries')
  await filler.end()
}

/** Where each of the first 32 pages of the audit log ends. */
async function lastIds({ database, owner }: Site): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    `select id from (
       select id, row_number() over (order by id desc) as number from audit_entries where workspace_id = $1
     ) as numbered
     where number % ${pageSize} = 0 and number <= ${pageSize * callers}
     order by number`,
    [owner.workspaceId],
  )
  return rows.map(({ id }) => id)
}

/** What a program polls: the first page of what waits in a team, another team for each caller. */
async function polled(
  get: (path: string, caller: number) => Promise<string>,
  slugs: string[],
): Promise<Kind> {
  const question = (team: string) => `/v1/decisions?team=${team}&status=pending&limit=${pageSize}`
  const kind: Kind = { what: `\`GET ${question('{slug}')}\`, asked again and again`, ours: [], plain: [] }
  for (const [caller, slug] of slugs.entries()) {
    const { nextCursor } = JSON.parse(await get(question(slug), caller))
    kind.ours.push([question(slug)])
    kind.plain.push([`/pending?of=${slug}&next=${nextCursor}`])
  }
  return kind
}

/** The first 32 pages of the audit log, one for each caller, and how the peer is asked for the same rows. */
async function pages(get: (path: string, caller: number) => Promise<string>, ends: string[]): Promise<Kind> {
  const first = `/v1/audit?limit=${pageSize}`
  const kind: Kind = { what: `\`GET ${first}\``, ours: [], plain: [] }
  let path = first
  let after = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  for (const [caller, end] of ends.entries()) {
    const { nextCursor } = JSON.parse(await get(path, caller))
    kind.ours.push([path])
    kind.plain.push([`/audit?of=${after}&next=${nextCursor}`])
    path = `${first}&cursor=${nextCursor}`
    after = end
  }
  return kind
}

/** Pages of decisions that begin at each of them, in turns, as for callers who read a list once. */
async function otherPages(get: (path: string, caller: number) => Promise<string>): Promise<Kind> {
  const cursors: string[] = []
  let path = '/v1/decisions?limit=1'
  while (cursors.length < beginnings) {
    const { nextCursor } = JSON.parse(await get(path, cursors.length % callers))
    cursors.push(nextCursor)
    path = `/v1/decisions?limit=1&cursor=${nextCursor}`
  }
  const kind: Kind = {
    what: '`GET /v1/decisions?limit=25`, another page each time',
    ours: Array.from({ length: callers }, () => []),
    plain: Array.from({ length: callers }, () => []),
  }
  for (const [at, cursor] of cursors.slice(0, -pageSize).entries()) {
    kind.ours[at % callers]!.push(`/v1/decisions?limit=${pageSize}&cursor=${cursor}`)
    kind.plain[at % callers]!.push(`/decisions?of=${idIn(cursor)}&next=${cursors[at + pageSize]}`)
  }
  return kind
}

/** A cursor has the id that it stands for after its first byte. */
const idIn = (cursor: string) => Buffer.from(cursor, 'base64url').toString('hex', 1, 17)

/** A peer that sends something else is none. */
async function sameBytes(bodies: string[], url: string, paths: string[]): Promise<void> {
  for (const [caller, path] of paths.entries()) {
    const theirs = await (await fetch(url + path)).text()
    if (theirs !== bodies[caller]) throw new Error(`The peer answers ${path} differently.`)
  }
}

async function against(
  { what, bytes }: { what: string; bytes: number },
  ours: Asked[][],
  plain: Asked[][],
  limit: Asked[][] | null,
  rounds: number,
): Promise<Figure[]> {
  const rates = { plain: [] as number[], ours: [] as number[], limit: [] as number[] }
  const asked = { plain, ours, ...(limit && { limit }) }
  for (const one of Object.values(asked)) await loadEach(one, 1.5)
  for (let round = 0; round < rounds; round += 1)
    for (const [which, one] of Object.entries(asked)) {
      const { perSecond, refused } = await loadEach(one, seconds)
      if (refused > 0) throw new Error(`${refused} requests of ${what} were refused.`)
      rates[which as keyof typeof rates].push(perSecond)
    }
  const ratioTo = (peer: number[]) => median(rates.ours.map((value, round) => value / peer[round]!))
  const ratio = ratioTo(rates.plain)
  const row = {
    what: `${what}, ${bytes.toLocaleString('en')} bytes, ${callers} callers with tokens and questions of their own`,
    ours: perSecond(rates.ours),
  }
  return [
    {
      ...row,
      peer: `Fastify, \`pg\`, one prepared statement, the same rows: ${perSecond(rates.plain)}`,
      ratio,
      target: `at least ${target}`,
      met: ratio >= target,
      leftOut,
    },
    ...(limit
      ? [
          {
            ...row,
            peer: `the limit, \`node:http\` with the same bytes in a Buffer: ${perSecond(rates.limit)}`,
            ratio: ratioTo(rates.limit),
            leftOut: `the database, ${leftOut}`,
          },
        ]
      : []),
  ]
}

const perSecond = (values: number[]) => `${Math.round(median(values)).toLocaleString('en')}/s`

async function memoryFigure(pid: number): Promise<Figure[]> {
  const memory = await residentMegabytes(pid)
  if (memory === null) return []
  return [
    {
      what: 'Server memory while loaded',
      ours: `${Math.round(memory)} MB`,
      target: 'under 200 MB',
      met: memory < 200,
    },
  ]
}
