import { rules } from '../../server/domain/work/requirements/splitting/rules.ts'
import { submitRequirement } from '../../server/domain/work/requirements/submit.ts'
import type { Db } from '../../server/infra/db/db.ts'
import { requirements } from '../halden-parcels/requirements.ts'
import { haldenParcels } from '../halden-parcels/workspace.ts'
import { acting } from './acting.ts'

export async function loadRequirements(db: Db, now: Date): Promise<void> {
  for (const { minutesAgo, by, team, text } of requirements) {
    const clock = { now: () => new Date(now.getTime() - minutesAgo * 60_000) }
    await submitRequirement(await acting(db, clock, haldenParcels.slug, by), rules, { team, text })
  }
}
