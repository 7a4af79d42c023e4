import { startSchedule } from '../faces/worker/schedule.ts'
import type { Admission } from './admission.ts'
import type { Base } from './base.ts'
import type { Checkpoints } from './checkpoints.ts'
import type { Engine } from './engine.ts'
import type { Intake } from './intake.ts'
import type { Part } from './parts.ts'

/** What happens without being asked for: the table in faces/worker/schedule.ts, on these parts. */
export function startTurns(
  { clock, log, metrics, storage }: Base,
  parts: { admission: Admission; checkpoints: Checkpoints; engine: Engine; intake: Intake },
): Promise<Part> {
  const { authenticator, limiter, strangers } = parts.admission
  const { queue, worker } = parts.engine
  const { refusals, uptime } = parts.intake
  return startSchedule({
    db: storage.db,
    clock,
    queue,
    log,
    metrics,
    signing: storage.secrets.signing,
    keepCheckpoints: parts.checkpoints.keep,
    authenticator,
    limiters: [limiter, strangers],
    refusals,
    uptime,
    worker,
  })
}
