import { createHash } from 'node:crypto'
import type { PrintWork, ReportWork } from '../../server/app/engine.ts'
import { asService } from '../../server/domain/context.ts'
import type { OrderRef } from '../../server/domain/ports/work.ts'
import { keepFile } from '../../server/domain/work/files/keep.ts'
import { systemClock } from '../../server/infra/clock.ts'
import type { Db } from '../../server/infra/db/db.ts'
import { silentQueue } from '../../server/infra/jobs/queue.ts'
import { ScriptedWork } from '../../server/integrations/work/scripted.ts'
import { scriptedDiff } from '../shorthand/diff.ts'
import { scriptOf } from './outcomes.ts'

interface Playing {
  report: ReportWork
  print: PrintWork
  pace: number
  db: Db
  onError: (error: Error) => void
}

/** Plays the work of the teams without a repository. Under two names, so that a visitor can start a race. */
export const scriptedWork = ({ report, print, pace, db, onError }: Playing): ScriptedWork =>
  new ScriptedWork({
    script: scriptOf,
    report: async (order, sent) => {
      // As a runner does: the file first, then the report that names it.
      if (sent.event.type === 'change_ready') await keepDiff(db, order, scriptedDiff(sent.event.change))
      return report(order, sent)
    },
    log: print,
    ...{ pace, onError },
    executors: ['scripted', 'command'],
  })

async function keepDiff(db: Db, order: OrderRef, text: string): Promise<void> {
  const ctx = asService({ db, clock: systemClock, queue: silentQueue }, order.workspaceId)
  const bytes = Buffer.from(text)
  await keepFile(ctx, { order, bytes, sha256: createHash('sha256').update(bytes).digest('hex') })
}
