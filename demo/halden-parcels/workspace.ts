import type { DemoWorkspace } from '../script.ts'
import { checkout } from './checkout/team.ts'
import { data } from './data/team.ts'
import { depot } from './depot/team.ts'
import { help } from './help/team.ts'
import { labels } from './labels/team.ts'
import { locker } from './locker/team.ts'
import { moments } from './moments.ts'
import { partner } from './partner/team.ts'
import { people } from './people.ts'
import { returns } from './returns/team.ts'
import { route } from './route/team.ts'

export const haldenParcels: DemoWorkspace = {
  slug: 'halden-parcels',
  name: 'Halden Parcels (demo)',
  createdMinutesAgo: 110_400,
  people,
  teams: [checkout, locker, route, data, partner, help, depot, labels, returns],
  moments,
}
