import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import type { Details } from '@signalbox/contract/audit-details.ts'
import { dictionary } from '@signalbox/contract/dictionary.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import {
  type Db,
  inOneStatement,
  inTransaction,
  pipelined,
  type Tx,
  write,
  writtenBy,
} from '../../../infra/db/db.ts'
import type { Statement } from '../../../infra/db/statement.ts'
import { statement } from '../../../infra/db/statement.ts'
import { newId } from '../../../infra/ids.ts'
import { type Actor, type Context, type Origin, theService } from '../../context.ts'
import type * as Sql from './change.types.ts'
import { checkDetails } from './details.ts'
import { Concealer, type Named, type PersonalValue, rememberStored, type Stored } from './personal.ts'
import { publicEventsOf } from './public-events.ts'
import {
  insertEntries,
  insertMessagesOfAllWorkspaces,
  insertNews,
  insertPersonalOfAllWorkspaces,
  insertUnsealed,
} from './store.ts'

/** What a change says about itself. Actor, time and channel come from the context. */
export type Entry<E extends AuditEvent = AuditEvent> = { [Event in E]: EntryOf<Event> }[E]

type EntryOf<E extends AuditEvent> = About<E> & Saying<Details[E]>

interface About<E extends AuditEvent> {
  /** For what the service does on its own in a transaction that a person began. */
  byService?: true
  event: E
  entity: { type: AuditEntry['entity']['type']; id: string; name?: string | null }
  result?: AuditEntry['result']
  team?: string | null
  runKey?: string | null
  /** People whose names are in the details, in addition to the actor and a member that it is about. */
  people?: readonly Named[]
}

/** Details can be left out where the event has none, or none that must be said. */
type Saying<D> = keyof D extends never
  ? { details?: never }
  : object extends D
    ? { details?: D }
    : { details: D }

const maxDetailsBytes = 16_384

/**
 * The only way to write: runs `work` in a transaction and records what it did.
 * If the audit entry cannot be written, the change does not happen.
 */
export async function change<T>(
  ctx: Context,
  work: (tx: Tx) => Promise<{ value: T; audit: Entry | Entry[] }>,
): Promise<T> {
  return transaction(ctx, async (tx) => {
    noteWriter(tx, ctx.actor)
    const { value, audit } = await work(tx)
    const entries = [audit].flat()
    await append(
      tx,
      entries.map((entry) => ({ workspaceId: ctx.workspaceId, ...render(ctx, entry) })),
    )
    return value
  })
}

/**
 * Writes that no one made: caches, leases, seals. The purpose is an argument so that `git grep housekeeping(`
 * lists every write that leaves no entry.
 */
export async function housekeeping<T>(db: Db, _purpose: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(db, work)
}

/**
 * Writes something ahead of its audit entry, in one statement that is its own commit. The job that picks it up writes
 * the entry (docs/decisions/0035). Apart from `housekeeping`, this is the only write without one.
 */
export async function writeAhead<T>(
  db: Db,
  _purpose: string,
  work: (
    run: <Given extends object, Row>(
      statement: Statement<Given, Row>,
      parameters: Given,
    ) => Promise<readonly Row[]>,
  ) => Promise<T>,
): Promise<T> {
  return work((statement, parameters) => inOneStatement(db, statement, parameters))
}

/** Adds entries to the tree, in the transaction that writes them. False: another node is sealing, so they wait. */
export type Seal = (tx: Tx, workspaceId: string, entries: readonly Stored[]) => Promise<boolean>

/**
 * Changes of one workspace that come in numbers, whose entries are sealed as they are written. Each comes with who made
 * it.
 */
export async function changeSealed<T>(
  ctx: Context,
  seal: Seal | undefined,
  work: (
    tx: Tx,
  ) => Promise<{ value: T; audit: { by: Pick<Context, 'actor' | 'channel' | 'origin'>; entry: Entry }[] }>,
): Promise<T> {
  return transaction(ctx, async (tx) => {
    const { value, audit } = await work(tx)
    if (audit.length === 0) return value
    const concealer = new Concealer()
    const written = audit.map(({ by, entry }) => {
      noteWriter(tx, by.actor)
      const { rendered, people } = render({ clock: ctx.clock, ...by }, entry)
      return writtenOut(concealer.conceal(ctx.workspaceId, rendered, people))
    })
    const entries = written.map(({ entry }) => entry)
    // No one needs the result of a pure write, so the database runs it while we prepare the next.
    const pipeline = pipelined(tx)
    await storeValues(pipeline, tx, concealer)
    const isSealed = await seal?.(tx, ctx.workspaceId, entries)
    await insertEntries(pipeline, ctx.workspaceId, written)
    if (!isSealed)
      await insertUnsealed(
        pipeline,
        ctx.workspaceId,
        entries.map(({ id }) => id),
      )
    await insertNews(pipeline, ctx.workspaceId, newsOf(entries))
    await tellEndpoints(
      tx,
      entries.map((rendered) => ({ workspaceId: ctx.workspaceId, rendered })),
    )
    return value
  })
}

/** Of entries that say the same to an open page, one: a storm is one piece of news. */
function newsOf(entries: readonly AuditEntry[]): string[] {
  const told = new Map<string, string>()
  for (const { id, event, actor, details } of entries) {
    const { requestId = '' } = (details.origin ?? {}) as { requestId?: string }
    told.set(`${event} ${actor.userId} ${requestId}`, id)
  }
  return [...told.values()]
}

/**
 * Changes of several workspaces that share one commit, for what arrives in numbers. Each entry comes with the context
 * it belongs to.
 */
export async function changeTogether<T>(
  { db, queue }: Pick<Context, 'db' | 'queue'>,
  work: (tx: Tx) => Promise<{ value: T; audit: { ctx: Context; entry: Entry }[] }>,
): Promise<T> {
  return transaction({ db, queue }, async (tx) => {
    const { value, audit } = await work(tx)
    for (const { ctx } of audit) noteWriter(tx, ctx.actor)
    await append(
      tx,
      audit.map(({ ctx, entry }) => ({ workspaceId: ctx.workspaceId, ...render(ctx, entry) })),
    )
    return value
  })
}

/**
 * The same for work that has to wait for others before it writes, as for an identity provider: its transaction begins
 * when the work asks for it, and ends with the work.
 */
export async function changeWhenBegun<T>(
  services: Pick<Context, 'db' | 'queue'>,
  work: (begin: () => Promise<Tx>) => Promise<{ value: T; audit: { ctx: Context; entry: Entry }[] }>,
): Promise<T> {
  const done = Promise.withResolvers<{ value: T; audit: { ctx: Context; entry: Entry }[] }>()
  // It may fail before anything awaits it.
  done.promise.catch(() => {})
  let changing: Promise<T> | undefined
  let begun: Promise<Tx> | undefined
  const begin = () => {
    begun ??= new Promise((resolve, reject) => {
      changing = changeTogether(services, (tx) => {
        resolve(tx)
        return done.promise
      })
      changing.catch(reject)
    })
    return begun
  }
  try {
    const result = await work(begin)
    if (result.audit.length > 0) await begin()
    done.resolve(result)
    await changing
    return result.value
  } catch (error) {
    done.reject(error)
    await changing?.catch(() => {})
    throw error
  }
}

/** Wake-ups sent in a transaction are answered as soon as it commits. */
async function transaction<T>(ctx: Pick<Context, 'db' | 'queue'>, work: (tx: Tx) => Promise<T>): Promise<T> {
  let committed: Tx | undefined
  const value = await inTransaction(ctx.db, (tx) => {
    committed = tx
    return work(tx)
  })
  if (committed) {
    ctx.queue.committed(committed)
    rememberStored(storedIn.get(committed) ?? [])
  }
  return value
}

/** The person who asked for it sees it in what they read next, on any node. */
function noteWriter(tx: Tx, actor: Actor): void {
  if (actor.type === 'human') writtenBy(tx, actor.userId)
}

/** What a transaction has stored for entries to refer to. Others can once it is committed. */
const storedIn = new WeakMap<Tx, PersonalValue[]>()

async function storeValues(pipeline: Tx, tx: Tx, { fresh }: Concealer): Promise<void> {
  if (fresh.length === 0) return
  await insertPersonalOfAllWorkspaces(pipeline, fresh)
  storedIn.set(tx, fresh)
}

const appendSql = statement<Sql.Append>(`
  with entries as (
    insert into audit_entries (id, workspace_id, team, actor_type, event, run_key, entry)
    select id, workspace_id, team, actor_type, event, run_key, entry
    from json_to_recordset(:rows::json) as (
      id uuid, workspace_id uuid, team text, actor_type text, event text, run_key text, entry text)
    returning workspace_id, id
  ), news as (
    insert into audit_news (workspace_id, entry_id) select workspace_id, id from entries
  )
  insert into audit_unsealed (workspace_id, entry_id)
  select workspace_id, id from entries`)

async function append(tx: Tx, given: (Rendered & { workspaceId: string })[]): Promise<void> {
  if (given.length === 0) return
  const concealer = new Concealer()
  const entries = given.map(({ workspaceId, rendered, people }) => {
    const { entry, text } = writtenOut(concealer.conceal(workspaceId, rendered, people))
    return { workspaceId, rendered: entry, text }
  })
  const rows = entries.map(({ workspaceId, rendered, text }) => ({
    id: rendered.id,
    workspace_id: workspaceId,
    team: rendered.team,
    actor_type: rendered.actor.type,
    event: rendered.event,
    run_key: rendered.runKey,
    entry: text,
  }))
  const pipeline = pipelined(tx)
  await storeValues(pipeline, tx, concealer)
  await write(pipeline, appendSql, { rows: JSON.stringify(rows) })
  await tellEndpoints(tx, given)
}

/** What endpoints are to be told about it, for the worker to send. */
async function tellEndpoints(
  tx: Tx,
  entries: { workspaceId: string; rendered: AuditEntry }[],
): Promise<void> {
  const byWorkspace = Map.groupBy(entries, ({ workspaceId }) => workspaceId)
  const messages = [...byWorkspace].flatMap(([workspaceId, its]) =>
    publicEventsOf(its.map(({ rendered }) => rendered)).map((event) => ({ workspaceId, ...event })),
  )
  if (messages.length > 0) await insertMessagesOfAllWorkspaces(tx, messages)
}

/** An entry as readers see it, and the people whose names it has. */
interface Rendered {
  rendered: AuditEntry
  people: Named[]
}

function render(ctx: Pick<Context, 'clock' | 'actor' | 'channel' | 'origin'>, entry: Entry): Rendered {
  const now = ctx.clock.now()
  const actor = entry.byService ? theService : ctx.actor
  checkDetails(entry.event, entry.details ?? {})
  const rendered: AuditEntry = {
    id: newId(now),
    timestamp: now.toISOString(),
    actor: {
      type: actor.type,
      name: actor.name,
      userId: actor.type === 'human' ? actor.userId : null,
    },
    team: entry.team ?? null,
    runKey: entry.runKey ?? null,
    event: entry.event,
    result: entry.result ?? 'success',
    entity: { type: entry.entity.type, id: entry.entity.id, name: entry.entity.name ?? null },
    details: {
      channel: ctx.channel,
      ...entry.details,
      ...(ctx.origin ? { origin: originOf(ctx.origin, actor) } : {}),
    },
  }
  return { rendered, people: peopleIn(actor, entry) }
}

/** The actor is the first: from where they came is in the entry, too. */
function peopleIn(actor: Actor, { entity, people = [] }: Entry): Named[] {
  const named: Named[] = actor.type === 'human' ? [{ id: actor.userId, name: actor.name }] : []
  if (entity.name && entity.type === 'member') named.push({ id: entity.id, name: entity.name })
  if (entity.name && entity.type === 'invitation') named.push({ id: null, name: entity.name })
  return [...named, ...people]
}

/** A role can be changed later, so the entry says which one the actor had. */
const originOf = (origin: Origin, actor: Actor): Origin & { role?: Role } =>
  actor.type === 'human' ? { ...origin, role: actor.role } : origin

/** An entry with its text, which is what is stored. */
function writtenOut(entry: Stored): { entry: Stored; text: string } {
  const text = JSON.stringify(entry)
  // A character is three bytes at most.
  if (text.length * 3 <= maxDetailsBytes) return { entry, text }
  const fitting = { ...entry, details: limited(entry.details) }
  return { entry: fitting, text: JSON.stringify(fitting) }
}

/** An entry is evidence, not storage: a change too large to quote is named by its fields. */
function limited(details: Record<string, unknown>): Record<string, unknown> {
  if (Buffer.byteLength(JSON.stringify(details)) <= maxDetailsBytes) return details
  const kept: Record<string, unknown> = dictionary({ truncated: true })
  for (const [key, value] of Object.entries(details)) {
    const next = { ...kept, [key]: value }
    if (Buffer.byteLength(JSON.stringify(next)) <= maxDetailsBytes - 64) kept[key] = value
  }
  return kept
}
