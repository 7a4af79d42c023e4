import type { RunPage, RunRow } from '@signalbox/contract/app/runs.ts'
import {
  CircleCheck,
  CircleSlash,
  CircleX,
  ClockAlert,
  Hand,
  Hourglass,
  LoaderCircle,
  UserRound,
} from 'lucide-react'
import { money } from '../browser/formats.ts'
import { Badge, type Look } from '../ui/badge.tsx'
import { failures } from './failures.ts'

export type Status = RunRow['status']
export type Stage = RunRow['stage']

/** The word and the picture of every state of a run. */
export const statuses: Record<Status, Look> = {
  queued: { word: 'Queued', tone: 'neutral', icon: Hourglass },
  running: { word: 'Running', tone: 'info', icon: LoaderCircle },
  waiting: { word: 'Needs an answer', tone: 'warn', icon: Hand },
  succeeded: { word: 'Succeeded', tone: 'ok', icon: CircleCheck },
  failed: { word: 'Failed', tone: 'danger', icon: CircleX },
  timed_out: { word: 'Timed out', tone: 'danger', icon: ClockAlert },
  stopped: { word: 'Stopped', tone: 'neutral', icon: CircleSlash },
}

export const stages: Record<Stage, string> = {
  planning: 'Planning',
  implementing: 'Implementing',
  verifying: 'Verifying',
  handing_off: 'Handing off',
}

export const isOver = (status: Status) =>
  status === 'succeeded' || status === 'failed' || status === 'timed_out' || status === 'stopped'

interface Props {
  local: { person: string; agent: string | null; active: boolean }
}

/** Someone works on it on their own machine, or did. */
export const LocalMark = ({ local }: Props) => (
  <Badge
    icon={UserRound}
    tone={local.active ? 'info' : 'neutral'}
    word={local.person}
    title={`${local.active ? 'Working on it locally' : 'Worked on it locally'}${local.agent ? ` with ${local.agent}` : ''}`}
  />
)

/** What a run cost, as far as it is known: no one meters what runs on a person's own machine. */
export const costOf = ({ costCents, local }: { costCents: number; local: unknown }): string =>
  local === null
    ? money(costCents)
    : costCents === 0
      ? 'Unknown'
      : `${money(costCents)} and unknown local cost`

/** What a run does after the work, which is neither a worker's turn nor a person's. */
const afterWork: Partial<Record<RunPage['phase'], string>> = {
  opening: 'opening the pull request',
  merging: 'merging',
  watching: 'watching the main branch',
  reverting: 'opening a revert',
}

/** What a run is at, in words: its stage while it is open, its class of failure when it failed. */
function standingOf(run: Pick<RunRow, 'status' | 'stage' | 'failureClass' | 'phase'>): string {
  if (run.status === 'succeeded' || run.status === 'stopped') return ''
  if (isOver(run.status)) return run.failureClass ? failures[run.failureClass].word : ''
  return afterWork[run.phase] ?? stages[run.stage].toLowerCase()
}

export function RunState({ run }: { run: Pick<RunRow, 'status' | 'stage' | 'failureClass' | 'phase'> }) {
  const { word, ...look } = statuses[run.status]
  const standing = standingOf(run)
  return <Badge {...look} word={standing ? `${word}: ${standing}` : word} />
}
