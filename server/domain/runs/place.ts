import type { runPlaces } from '@signalbox/contract/app/runs.ts'
import type { RunListed } from '@signalbox/contract/run.ts'

/** Where a run stands in the engine. */
export type Place = (typeof runPlaces)[number]

export const openPlaces: Place[] = ['queued', 'working', 'waiting', 'merging', 'watching', 'reverting']

export const isOpen = (place: Place): boolean => openPlaces.includes(place)

/** What the outside sees of a place. Merging, watching main and reverting are parts of handing off. */
export const statusOf = (place: Place): RunListed['status'] =>
  place === 'working' || place === 'merging' || place === 'watching' || place === 'reverting'
    ? 'running'
    : place
