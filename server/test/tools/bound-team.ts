import { randomBytes } from 'node:crypto'
import type { AuditEvent } from '@signalbox/contract/audit.ts'
import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { asService, type Context } from '../../domain/context.ts'
import { reportWork } from '../../domain/engine/lifecycle/report.ts'
import { dispatchTeam } from '../../domain/engine/supervision/dispatch.ts'
import type { WorkEvent, WorkOrder } from '../../domain/ports/work.ts'
import { handleTrackerWebhook } from '../../domain/reach/mirror/handle-webhook.ts'
import type { MirrorServices } from '../../domain/reach/mirror/reach.ts'
import { sweepTeam } from '../../domain/reach/mirror/sweep.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { performEffect } from '../../domain/record/outbox/perform.ts'
import { credentialsRow, hookTokenRow, webhookSecretRow } from '../../domain/tools/connections/sealed-rows.ts'
import { listStories } from '../../domain/work/stories/list.ts'
import { readStory } from '../../domain/work/stories/read.ts'
import { performersFor } from '../../faces/worker/performers.ts'
import type { Db, Tx } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import type { Wake } from '../../infra/jobs/queue.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { callerFor } from '../../integrations/connections/call.ts'
import { ScriptedGitHost } from '../../integrations/git-hosts/scripted.ts'
import { trackersFor } from '../../integrations/trackers/index.ts'
import { TestClock } from '../clock.ts'
import { bare } from '../engine/engine.ts'
import { aMember, aTeam, aWorkspace } from '../factories.ts'
import { tables } from '../tables.ts'

const secrets = secretsFrom('a key for tests that nobody else has')

export interface Bound {
  kind: ConnectionKind
  url: string
  credentials: Record<string, string>
  account: string
  project: { id: string; key: string }
  label?: string
}

/** A connection as if a person had made it in the app. */
export async function aConnection(
  ctx: Context,
  { kind, url, credentials, account }: Pick<Bound, 'kind' | 'url' | 'credentials' | 'account'>,
): Promise<string> {
  const at = ctx.clock.now()
  const id = newId(at)
  const method = kind === 'jira' ? 'basic' : 'token'
  await housekeeping(ctx.db, 'a connection for a test', (tx) =>
    sql`
      insert into connections (id, workspace_id, kind, name, base_url, method, account, credentials, hook_token,
        hook_token_hash, webhook_secret, created_at, updated_at)
      values (${id}, ${ctx.workspaceId}, ${kind}, ${kind}, ${url}, ${method}, ${account},
        ${secrets.encrypt(JSON.stringify(credentials), credentialsRow(id))}, ${secrets.encrypt('t', hookTokenRow(id))},
        ${randomBytes(32)}, ${secrets.encrypt('s', webhookSecretRow(id))}, ${at}, ${at})
    `.execute(tables(tx)),
  )
  return id
}

export async function bindTeam(
  ctx: Context,
  teamId: string,
  connectionId: string,
  { project, label }: Pick<Bound, 'project' | 'label'>,
): Promise<void> {
  await housekeeping(ctx.db, 'a binding for a test', (tx) =>
    sql`
      insert into team_trackers (workspace_id, team_id, connection_id, project_id, project_key, project_name, label,
        bound_at)
      values (${ctx.workspaceId}, ${teamId}, ${connectionId}, ${project.id}, ${project.key}, ${project.key},
        ${label ?? null}, ${ctx.clock.now()})
    `.execute(tables(tx)),
  )
}

/** A team whose stories mirror a project of a double; nothing moves until the test says so. */
export async function aBoundTeam(db: Db, bound: (clock: TestClock) => Promise<Bound>) {
  const clock = new TestClock('2026-11-16T08:00:00.000Z')
  const wakes: Wake[] = []
  const queue = { send: async (_: Tx, wake: Wake) => void wakes.push(wake), committed: () => {} }
  const workspace = { ...(await aWorkspace(db, clock)), queue }
  const member = await aMember(workspace, 'member')
  const admin = await aMember(workspace, 'admin')
  const team = await aTeam(workspace)
  const given = await bound(clock)
  const connectionId = await aConnection(workspace, given)
  await bindTeam(workspace, team.id, connectionId, given)
  const call = callerFor({ allow: ['127.0.0.1'], clock, timeoutMs: 5_000 })
  const trackers = trackersFor(call, clock)
  const services: MirrorServices = { trackers, secrets, publicUrl: () => 'https://box.example.com' }
  const orders: WorkOrder[] = []
  const work = {
    name: 'test',
    serves: () => true,
    hand: async (order: WorkOrder) => void orders.push(order),
  }
  const performers = performersFor({ ...bare, trackers, work, gitHost: new ScriptedGitHost() }, services)
  const service = asService(workspace, workspace.workspaceId)

  const dueEffects = async () =>
    (
      await sql<{ id: string; kind: string; last_error: string | null; attempts: number }>`
        select id, kind, last_error, attempts from effects
        where workspace_id = ${workspace.workspaceId} and due_at is not null order by id
      `.execute(tables(db))
    ).rows
  let reported = 0
  return {
    clock,
    orders,
    wakes,
    workspace,
    member,
    admin,
    team,
    connectionId,
    services,
    service,
    performers,
    dueEffects,
    /** Looks at the tracker, whenever its turn would be. */
    async sweep(): Promise<boolean> {
      clock.forward(16 * 60_000)
      return sweepTeam(service, services, team.id)
    },
    handleWebhook: (delivery: { event: string; body: unknown }) =>
      handleTrackerWebhook(service, services, { connectionId, ...delivery }),
    /** Does all that is to be done outside, until nothing is left that is due now. */
    async settle(): Promise<void> {
      for (let before = ''; ; ) {
        const due = await dueEffects()
        // One that failed is not due again until later.
        if (JSON.stringify(due) === before && wakes.length === 0) return
        before = JSON.stringify(due)
        for (const { id } of due) await performEffect(service, id, performers).catch(() => {})
        if (wakes.splice(0).some(({ task }) => task === 'team' || task === 'slots'))
          await dispatchTeam(service, team.id, work)
      }
    },
    /** Does what is due by the clock, as the outbox does: what failed waits for its time. */
    async settleDue(): Promise<void> {
      const { rows } = await sql<{ id: string }>`
        select id from effects where workspace_id = ${workspace.workspaceId} and due_at <= ${clock.now()} order by id
      `.execute(tables(db))
      for (const { id } of rows) await performEffect(service, id, performers).catch(() => {})
    },
    /** What a worker says about the newest order. */
    async report(...events: WorkEvent[]): Promise<void> {
      for (const event of events) {
        reported += 1
        await reportWork(service, orders.at(-1)!, { number: reported, event }, { USD: 1 })
        const next = orders.length
        await this.settle()
        if (orders.length > next) reported = 0
      }
    },
    perform: (id: string) => performEffect(service, id, performers),
    async stories() {
      const page = await listStories(member, { team: team.slug, drafts: true }, { limit: 100, after: null })
      return page.data.map(fromJson).reverse()
    },
    async story(trackerKey: string) {
      const page = await listStories(member, { team: team.slug, drafts: true }, { limit: 100, after: null })
      const found = page.data.map(fromJson).find(({ tracker }) => tracker?.key === trackerKey)
      return found && fromJson(await readStory(member, found.key))
    },
    async entries(event: AuditEvent) {
      const page = await listAudit(workspace, { event }, { limit: 100, after: null })
      return page.data.map(fromJson).reverse()
    },
  }
}

export type BoundTeam = Awaited<ReturnType<typeof aBoundTeam>>
