import type { Storage } from '../../server/app/storage.ts'
import { createDeliveryPartitions } from '../../server/domain/on-call/signals/create-partitions.ts'
import { createPartitions } from '../../server/domain/record/audit/create-partitions.ts'
import { sealAll } from '../../server/domain/record/seals/seal.ts'
import { systemClock } from '../../server/infra/clock.ts'
import { openDatabase } from '../../server/infra/db/db.ts'
import { haldenParcels } from '../halden-parcels/workspace.ts'
import { marlowBayFerries } from '../marlow-bay-ferries/workspace.ts'
import { loadAlerts } from './alerts.ts'
import { loadRequirements } from './requirements.ts'
import { demoSources } from './sources.ts'
import { loadWorkspace } from './workspace.ts'

/** Writes the whole demo. The second workspace comes last: its presence tells that everything is there. */
export async function loadDemo(storage: Storage): Promise<void> {
  const { db, secrets } = storage
  await Promise.all([createPartitions(db, systemClock), createDeliveryPartitions(db, systemClock)])
  // Waiting for the disk after each of some hundred small changes would take longer than everything else together.
  const hasty = openDatabase({
    connection: storage.connection,
    connections: 1,
    asAppRole: true,
    synchronousCommit: false,
    onError: () => {},
  })
  const now = new Date()
  await loadWorkspace(hasty.db, now, haldenParcels)
  await loadRequirements(hasty.db, now)
  await loadAlerts({ db: hasty.db, secrets }, now)
  await demoSources({ db: hasty.db, secrets }, systemClock, '')
  await loadWorkspace(hasty.db, now, marlowBayFerries)
  await sealAll(hasty.db, secrets.signing, systemClock)
  await hasty.close()
}
