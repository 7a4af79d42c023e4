import type { StoredAlert } from '../alerts/keep.ts'
import type { ReadAlert } from '../senders/reading/reading.ts'
import type { News } from '../signals/follow.ts'

type Described = Pick<
  StoredAlert,
  | 'title'
  | 'environment'
  | 'description'
  | 'labels'
  | 'links'
  | 'sender_id'
  | 'is_test'
  | 'cuts'
  | 'started_at'
  | 'ended_at'
>

/** As many as one delivery may bring. */
const mostLabels = 100
const mostLinks = 20

/** What a delivery says of an alert. */
export const alertDescription = (read: ReadAlert): Described => ({
  title: read.title,
  environment: read.environment,
  description: read.description,
  labels: read.labels,
  links: read.links,
  sender_id: read.senderId,
  // What has waited since before these were known says neither.
  is_test: read.isTest ?? false,
  cuts: read.cuts ?? [],
  started_at: read.startedAt ? new Date(read.startedAt) : null,
  ended_at: read.endedAt ? new Date(read.endedAt) : null,
})

/**
 * What is known of an alert after another delivery about it. Within one occurrence nothing is lost: a recovery usually
 * says less than the firing did, and a firing that arrives after it still says what it was. Only a repeated firing
 * replaces what was said before.
 */
export function mergeAlert(known: Described, read: ReadAlert, news: News): Described {
  const told = alertDescription(read)
  if (news === 'again') return told
  // The end of an occurrence before this one.
  if (news === 'late' && read.status === 'resolved') return known
  return news === 'repeated' && read.status === 'firing' ? merged(told, known) : merged(known, told)
}

const merged = (first: Described, second: Described): Described => ({
  title: first.title,
  environment: first.environment ?? second.environment,
  description: first.description ?? second.description,
  labels: Object.fromEntries(
    Object.entries({ ...first.labels, ...missing(second.labels, first.labels) }).slice(0, mostLabels),
  ),
  links: mergedLinks(first.links, second.links),
  sender_id: first.sender_id ?? second.sender_id,
  is_test: first.is_test,
  // What was cut goes with the text that is shown.
  cuts: first.description === null ? [...new Set([...first.cuts, ...second.cuts])] : first.cuts,
  started_at: first.started_at ?? second.started_at,
  ended_at: first.ended_at ?? second.ended_at,
})

const missing = (labels: Described['labels'], known: Described['labels']) =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => !Object.hasOwn(known, name)))

/** A link of the same name leads to the same thing, by a newer address. */
function mergedLinks(first: Described['links'], second: Described['links']): Described['links'] {
  const isKnown = ({ label, url }: Described['links'][number]) =>
    first.some((link) => link.url === url || link.label === label)
  return [...first, ...second.filter((link) => !isKnown(link))].slice(0, mostLinks)
}
