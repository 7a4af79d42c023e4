import type { DemoPerson, DemoWorkspace } from '../script.ts'
import { moments } from './moments.ts'
import { ticketing } from './ticketing/team.ts'

export const otherOwner: DemoPerson = {
  email: 'noor.rahimi@example.org',
  name: 'Noor Rahimi',
  role: 'owner',
  joinedMinutesAgo: 9_000,
}

/** A second, unrelated company: nothing of it may be seen from the first. */
export const marlowBayFerries: DemoWorkspace = {
  slug: 'marlow-bay-ferries',
  name: 'Marlow Bay Ferries (demo)',
  createdMinutesAgo: 9_000,
  people: [otherOwner],
  teams: [ticketing],
  moments,
}
