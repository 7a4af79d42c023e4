import type { StoryListed } from '@signalbox/contract/story.ts'
import type { Issue, TrackerStatus } from '../../ports/tracker.ts'

type Role = StoryListed['column']['role']

/** What a team says about the statuses of its project: a column, or that a status says nothing. */
export type Mapping = Record<string, Role | null>

const order: Role[] = ['backlog', 'refining', 'ready', 'in_progress', 'review', 'done']

/** The column a status means, by what the team has confirmed, or by our guess. */
export const columnOf = (status: TrackerStatus, mapping: Mapping): Role | null =>
  status.id in mapping ? mapping[status.id]! : status.guess

/** The furthest column that any of the issue's statuses maps to. Null: none maps to one. */
export function placeOf({ statuses: said }: Issue, statuses: TrackerStatus[], mapping: Mapping): Role | null {
  const places = statuses
    .filter(({ id }) => said.includes(id))
    .map((status) => columnOf(status, mapping))
    .filter((role) => role !== null)
  return places.sort((a, b) => order.indexOf(b) - order.indexOf(a))[0] ?? null
}

/** The status that a story in that column has, and the ones it no longer has. */
export function statusFor(role: Role, statuses: TrackerStatus[], mapping: Mapping) {
  const mapped = statuses.filter((status) => columnOf(status, mapping) !== null)
  const to = mapped.find((status) => columnOf(status, mapping) === role) ?? null
  return { to, others: mapped.filter((status) => status !== to).map(({ id }) => id) }
}
