import type { ReplicaState } from '../../../infra/db/replica.ts'
import { timeOfId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { offlineAfterSeconds } from '../../engine/orders/offline.ts'
import { leaseSeconds } from '../../engine/orders/orders.ts'
import { readAnchors } from '../../record/anchors/read-anchors.ts'
import { monthAfter } from '../../record/audit/month.ts'
import { dueMonths } from '../../record/months/due.ts'
import { readStreamLag } from '../../record/streams/read-lag.ts'
import { type LastBackup, lastBackup } from '../backups/last.ts'
import { readRotation } from '../key-rotation/read.ts'
import {
  selectConnectionsOfAllWorkspaces,
  selectDatabaseOfInstance,
  selectDatabaseSizeOfInstance,
  selectHookQueueOfAllWorkspaces,
  selectIntakeOfAllWorkspaces,
  selectMigrationOfInstance,
  selectNodesOfInstance,
  selectOrdersOfAllWorkspaces,
  selectOutboxOfAllWorkspaces,
  selectReplicasOfInstance,
  selectRunnersOfAllWorkspaces,
  selectStuckRunsOfAllWorkspaces,
  selectUnsealedOfAllWorkspaces,
  selectWaitingRunsOfAllWorkspaces,
  selectWebhookQueueOfAllWorkspaces,
  selectWebhooksOfAllWorkspaces,
} from './store.ts'

/** Something that waits to be done. */
export interface Backlog {
  /** At most `mostCounted`. */
  waiting: number
  /** How long the oldest of it has waited; 0 when nothing does. */
  oldestSeconds: number
}

export interface Disk {
  freeBytes: number
  sizeBytes: number
}

/** What the installation is and how it is doing, at one moment. */
export type Vitals = Awaited<ReturnType<typeof readVitals>>

/** Above it, a number of things that wait means "at least". */
export const mostCounted = 10_000

export interface VitalSources extends Pick<Context, 'db' | 'clock'> {
  /** Of the data folder; null where it cannot be read. */
  disk(): Promise<Disk | null>
  databaseBytes(): Promise<number>
  /** The replica that some reads go to; null: none is set. */
  readReplica(): Promise<ReplicaState | null>
  /** Whether the audit log is sent anywhere. */
  streams: boolean
  /** Where its checkpoints are sent. */
  anchors: readonly string[]
  /** After how many months it goes to files; null: it stays. */
  auditMonths: number | null
  /** How often this server backs itself up; null: it does not. */
  backupEverySeconds: number | null
}

export async function readVitals(sources: VitalSources) {
  const { db, clock, disk, databaseBytes, streams, auditMonths, anchors } = sources
  const now = clock.now()
  const seconds = (at: Date | null) => (at ? Math.max(0, (now.getTime() - at.getTime()) / 1000) : 0)
  const backlog = ({ waiting, oldestAt }: { waiting: number; oldestAt: Date | null }): Backlog => ({
    waiting,
    oldestSeconds: seconds(oldestAt),
  })
  const byId = ({ waiting, oldestId }: { waiting: number; oldestId: string | null }): Backlog =>
    backlog({ waiting, oldestAt: oldestId === null ? null : timeOfId(oldestId) })
  const lagOf = ({ error, ...rest }: Awaited<ReturnType<typeof readStreamLag>>) => ({ error, ...byId(rest) })
  const since = new Date(now.getTime() - offlineAfterSeconds * 1000)
  const [intake, unsealed, outbox, webhooks, webhookQueue, hookQueue, connections, runners] =
    await Promise.all([
      selectIntakeOfAllWorkspaces(db, mostCounted),
      selectUnsealedOfAllWorkspaces(db, mostCounted),
      selectOutboxOfAllWorkspaces(db, now, mostCounted),
      selectWebhooksOfAllWorkspaces(db),
      selectWebhookQueueOfAllWorkspaces(db, mostCounted),
      selectHookQueueOfAllWorkspaces(db, mostCounted),
      selectConnectionsOfAllWorkspaces(db),
      selectRunnersOfAllWorkspaces(db, now, since),
    ])
  const [waitingRuns, stuckRuns, orders, nodes, database, migration, replicas] = await Promise.all([
    selectWaitingRunsOfAllWorkspaces(db, mostCounted),
    selectStuckRunsOfAllWorkspaces(db, mostCounted),
    selectOrdersOfAllWorkspaces(db, mostCounted),
    selectNodesOfInstance(db),
    selectDatabaseOfInstance(db),
    selectMigrationOfInstance(db),
    selectReplicasOfInstance(db),
  ])
  const taken = orders.find(({ state }) => state === 'taken')
  return {
    at: now,
    intake: byId(intake),
    unsealed: byId(unsealed),
    outbox: outbox.map(({ kind, failing, ...rest }) => ({ kind, failing, ...backlog(rest) })),
    webhooks: webhooks.map(({ state, endpoints }) => ({ state, endpoints })),
    webhookQueue: backlog(webhookQueue),
    hookQueue: backlog(hookQueue),
    connections,
    runners,
    waitingRuns,
    stuckRuns,
    orders: orders.map(({ state, orders, oldestAt }) => ({
      state,
      orders,
      oldestSeconds: seconds(oldestAt),
    })),
    /** How long ago the most silent of them has last reported. */
    leaseAgeSeconds: taken
      ? Math.max(0, seconds(new Date(taken.firstLeaseUntil!.getTime() - leaseSeconds * 1000)))
      : 0,
    nodes: nodes.map((node) => ({ ...node, skewSeconds: (node.skewMs ?? 0) / 1000 })),
    database: { ...database, bytes: await databaseBytes(), replicas },
    readReplica: await sources.readReplica(),
    migration: migration ?? null,
    disk: await disk(),
    /** Null: the audit log is not sent anywhere. */
    auditStream: streams ? lagOf(await readStreamLag({ db })) : null,
    /** Where checkpoints of the audit log are sent, and how that goes. */
    anchors: (await readAnchors({ db }))
      .filter(({ target }) => anchors.includes(target))
      .map(({ target, error, failingSince, sentAt }) => ({
        ...{ target, error, sentAt },
        failingSeconds: seconds(failingSince),
      })),
    /** Null: months of the audit log stay in the database. */
    auditArchive: auditMonths === null ? null : await archiveOf(sources, auditMonths),
    backups: { ...stateOf(await lastBackup(db)), everySeconds: sources.backupEverySeconds },
    rotation: await readRotation(db),
  }
}

/** Months that should be in files by now, and since when. */
async function archiveOf({ db, clock }: VitalSources, keepMonths: number) {
  const due = await dueMonths({ db, clock }, keepMonths)
  const since = due[0] && monthAfter(due[0], 1 + keepMonths)
  const oldestSeconds = since ? (clock.now().getTime() - since.getTime()) / 1000 : 0
  return { waiting: due.length, oldest: due[0] ?? null, oldestSeconds }
}

/** When the newest good backup was taken, and why the newest attempt failed, if it did. */
const stateOf = ({ good, tried }: LastBackup) => ({
  lastSuccessAt: good?.takenAt ?? null,
  failure: tried?.error
    ? { at: tried.endedAt ?? tried.begunAt, message: tried.error, cause: tried.cause }
    : null,
})

/** For `databaseBytes`, which is asked for less often. */
export const readDatabaseBytes = ({ db }: Pick<Context, 'db'>): Promise<number> =>
  selectDatabaseSizeOfInstance(db)
