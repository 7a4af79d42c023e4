import { listErased } from '../domain/installation/erasure/list-erased.ts'
import { newestCheckpoints } from '../domain/record/seals/newest-checkpoints.ts'
import { sealAll } from '../domain/record/seals/seal.ts'
import { CheckpointLog } from './checkpoint-log.ts'
import { ErasedPeople } from './erased-people.ts'
import type { Base, Part } from './parts.ts'

export interface Checkpoints extends Part {
  keep(): Promise<void>
}

/**
 * Keeps the signed checkpoints of the audit log outside of the database; at the end, that of the last entries too. And
 * who was erased, for a restore.
 */
export function startCheckpoints({ config, clock, storage }: Base): Checkpoints {
  const { db, secrets } = storage
  const log = new CheckpointLog(config.dataDir)
  const erased = new ErasedPeople(config.dataDir)
  const keep = async () => {
    await log.append(await newestCheckpoints(db), clock.now())
    await erased.add(await listErased(db))
  }
  const stop = async () => {
    await sealAll(db, secrets.signing, clock)
    await keep()
  }
  return { keep, stop }
}
