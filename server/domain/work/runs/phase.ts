import type { runPhases } from '@signalbox/contract/app/runs.ts'
import type { RunListed } from '@signalbox/contract/run.ts'

/** How far the engine has got with a run. */
export type Phase = (typeof runPhases)[number]

/** What the engine does at the git host, after the work. */
export const atGitHost = ['opening', 'merging', 'watching', 'reverting'] as const

export const openPhases: Phase[] = ['queued', 'working', 'waiting', ...atGitHost]

export const isOpen = (phase: Phase): boolean => openPhases.includes(phase)

export const isAtGitHost = (phase: Phase): phase is (typeof atGitHost)[number] =>
  (atGitHost as readonly Phase[]).includes(phase)

/** What the outside sees of a phase. What happens at the git host is a part of handing off. */
export const statusOf = (phase: Phase): RunListed['status'] =>
  phase === 'working' || isAtGitHost(phase) ? 'running' : phase
