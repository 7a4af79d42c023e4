import type { KeyObject } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import type { ClientConfig } from 'pg'
import { asService } from '../domain/context.ts'
import { handleSignals } from '../domain/on-call/incidents/handle.ts'
import { sealWith } from '../domain/record/seals/seal.ts'
import { systemClock } from '../infra/clock.ts'
import { type DatabaseOptions, openDatabase, type Tx } from '../infra/db/db.ts'
import { Jobs, type Queue } from '../infra/jobs/queue.ts'
import { threadConnections } from './node-connections.ts'

/** The thread that works off what arrived in a rush; app/rounds.ts starts it. It has connections of its own. */

export interface ThreadOptions {
  connection: ClientConfig
  replica: NonNullable<DatabaseOptions['replica']> | null
  asAppRole: boolean
  statementSeconds: number
  signing: { privateKey: KeyObject; publicKey: KeyObject }
}

export type Question = { type: 'take'; number: number; workspaceId: string } | { type: 'stop' }

export type Answer =
  | { type: 'ready' }
  | { type: 'taken'; number: number; count: number }
  | { type: 'failed'; number: number; message: string; code: string | undefined }
  | { type: 'sealed'; count: number }
  /** A wake-up was sent and is committed. */
  | { type: 'sent' }

/** No request waits for this thread, so its batches are as large as is good for the database. */
const mostBytes = 2_097_152
const pace = { bytes: mostBytes / 4 }

const { signing, ...options } = workerData as ThreadOptions
const port = parentPort!
const answer = (said: Answer) => port.postMessage(said)
// A failing connection is reported to the query that used it.
const database = openDatabase({ ...options, connections: threadConnections, onError: () => {} })
const jobs = new Jobs({ pool: database.pool, onError: () => {} })
const queue: Queue = {
  send: (tx, wake, after) => jobs.send(tx, wake, after),
  committed: (tx: Tx) => {
    if (jobs.hasSent(tx)) answer({ type: 'sent' })
  },
}
const seal = sealWith(signing, systemClock, (count) => answer({ type: 'sealed', count }))

port.on('message', async (question: Question) => {
  if (question.type === 'stop') {
    await jobs.stop()
    await database.close()
    port.close()
    return
  }
  const { number, workspaceId } = question
  const ctx = asService({ db: database.db, clock: systemClock, queue }, workspaceId)
  try {
    answer({ type: 'taken', number, count: await handleSignals(ctx, { seal, mostBytes, pace }) })
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    answer({ type: 'failed', number, message, code })
  }
})
answer({ type: 'ready' })
