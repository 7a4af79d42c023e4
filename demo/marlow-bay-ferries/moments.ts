import { noor } from '../actors.ts'
import type { DemoMoment } from '../script.ts'

export const moments: DemoMoment[] = [
  {
    minutesAgo: 8_990,
    actor: noor,
    event: 'workspace_changed',
    entity: { type: 'workspace', id: 'marlow-bay-ferries', name: 'Marlow Bay Ferries (demo)' },
    details: { changes: [{ field: 'timeZone', before: 'UTC', after: 'Europe/London' }] },
  },
]
