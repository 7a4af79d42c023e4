import pg from 'pg'
import { resolveDecision } from '../server/domain/engine/answers/resolve.ts'
import { newId } from '../server/infra/ids.ts'
import { Jobs } from '../server/infra/jobs/queue.ts'
import { connections, type Site, type Waiting } from './site.ts'

interface Sent {
  name?: string
  text: string
  values?: unknown[]
}

/**
 * The statements of one answer, as the server sends them, to be sent again by `pg` alone: same texts, same names, same
 * order, and values in which one decision, run, story and team stand for another.
 */
export async function replayOf(site: Site, [first, second]: [Waiting, Waiting]) {
  const sent = await sentBy(site, first, second)
  const known = [...Object.values(second), ...auditIds(sent)]
  const pattern = new RegExp(known.map((value) => value.replaceAll('-', '\\-')).join('|'), 'g')
  const pool = new pg.Pool({ ...site.connection, max: connections, options: '-c role=signalbox_app' })

  const answer = async (client: pg.PoolClient, other: Waiting) => {
    const replaced = new Map<string, string>()
    for (const [what, value] of Object.entries(second)) replaced.set(value, other[what as keyof Waiting])
    for (const id of auditIds(sent)) replaced.set(id, newId(new Date()))
    const put = (value: unknown) =>
      typeof value === 'string' ? value.replace(pattern, (found) => replaced.get(found)!) : value
    for (const { values, ...statement } of sent)
      await client.query(values ? { ...statement, values: values.map(put) } : statement)
  }

  return {
    statements: sent.length,
    /** Answers each decision once, as many at a time as there are callers. Returns how many in a second. */
    async answer(waiting: Waiting[], callers: number): Promise<number> {
      const left = [...waiting]
      const begun = performance.now()
      const caller = async () => {
        for (let other = left.pop(); other; other = left.pop()) {
          const client = await pool.connect()
          await answer(client, other)
          client.release()
        }
      }
      await Promise.all(Array.from({ length: callers }, caller))
      const perSecond = waiting.length / ((performance.now() - begun) / 1000)
      // Statements that find no row are quick: a peer that does not do the work is none.
      const { rows } = await pool.query(
        `select count(*)::int as answered from decisions d join runs r on r.id = d.run_id
         join attempts a on a.run_id = r.id and a.status = 'queued'
         where d.status = 'resolved' and r.phase = 'queued' and d.id = any($1)`,
        [waiting.map(({ decisionId }) => decisionId)],
      )
      if (rows[0].answered !== waiting.length) throw new Error('The peer did not answer every decision.')
      return perSecond
    },
    close: () => pool.end(),
  }
}

/** Listens to what `pg` is told while a decision is answered; one before it, so that what is read once has been read. */
async function sentBy(site: Site, before: Waiting, measured: Waiting): Promise<Sent[]> {
  const queue = new Jobs({ pool: site.database.pool, onError: () => {} })
  const ctx = { ...site.owner, channel: 'api', queue } as const
  await resolveDecision(ctx, { key: before.decision, optionId: 'approve' })

  const heard: { client: pg.Client; sent: Sent }[] = []
  const { query } = pg.Client.prototype
  // biome-ignore lint/suspicious/noExplicitAny: pg declares nine overloads.
  pg.Client.prototype.query = function (this: pg.Client, first: any, values?: any, ...rest: any[]): any {
    const sent = typeof first === 'string' ? { text: first, values } : first
    heard.push({ client: this, sent })
    return (query as (...all: unknown[]) => unknown).call(this, first, values, ...rest)
  } as typeof query
  await resolveDecision(ctx, { key: measured.decision, optionId: 'approve' })
  pg.Client.prototype.query = query
  await queue.stop()

  // The queue looks after itself, on other connections: only what leads to this answer counts.
  const writer = heard.find(({ sent }) => sent.text === 'begin')!.client
  return heard
    .filter(({ client, sent }) => client === writer || sent.values?.includes(measured.decision))
    .map(({ sent: { name, text, values } }) => ({
      ...(name ? { name } : {}),
      text,
      ...(values ? { values } : {}),
    }))
}

/** Each entry of the audit log needs an id of its own; they are written together, as one JSON text. */
const auditIds = (sent: Sent[]): string[] =>
  sent.flatMap(({ text, values }) =>
    text.includes('insert into audit_entries')
      ? (JSON.parse(values![0] as string) as { id: string }[]).map(({ id }) => id)
      : [],
  )
