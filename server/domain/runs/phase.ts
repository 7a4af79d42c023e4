import type { runPhases } from '@signalbox/contract/app/runs.ts'
import type { RunListed } from '@signalbox/contract/run.ts'

/** Where a run stands in the engine. */
export type Phase = (typeof runPhases)[number]

export const openPhases: Phase[] = ['queued', 'working', 'waiting', 'merging', 'watching', 'reverting']

export const isOpen = (phase: Phase): boolean => openPhases.includes(phase)

/** What the outside sees of a phase. Merging, watching main and reverting are parts of handing off. */
export const statusOf = (phase: Phase): RunListed['status'] =>
  phase === 'working' || phase === 'merging' || phase === 'watching' || phase === 'reverting'
    ? 'running'
    : phase
