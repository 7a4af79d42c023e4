import type { Draft, RequirementRow } from '@signalbox/contract/app/requirements.ts'
import { CircleCheck, CircleHelp, CircleX, LoaderCircle, PencilLine, ThumbsUp } from 'lucide-react'
import { DraftMark } from '../stories/marks.tsx'
import { Badge, type Look } from '../ui/badge.tsx'

type Status = RequirementRow['status']

export const statuses: Record<Status, Look> = {
  clarifying: { tone: 'warn', icon: CircleHelp, word: 'Needs answers' },
  drafted: { tone: 'info', icon: PencilLine, word: 'Needs review' },
  closed: { tone: 'neutral', icon: CircleCheck, word: 'Closed' },
}

const draftStates: Record<Exclude<Draft['state'], 'draft'>, Look> = {
  approved: { tone: 'ok', icon: ThumbsUp, word: 'Approved' },
  writing: { tone: 'info', icon: LoaderCircle, word: 'Writing to tracker' },
  failing: { tone: 'danger', icon: CircleX, word: 'Tracker failed' },
  written: { tone: 'ok', icon: CircleCheck, word: 'In tracker' },
}

export const StatusMark = ({ status }: { status: Status }) => <Badge {...statuses[status]} />

const created: Look = { tone: 'ok', icon: CircleCheck, word: 'Story created' }

export const DraftState = ({ draft: { state, tracker } }: { draft: Pick<Draft, 'state' | 'tracker'> }) =>
  state === 'draft' ? (
    <DraftMark />
  ) : (
    <Badge {...(state === 'written' && !tracker ? created : draftStates[state])} />
  )

/** The first line of what someone wrote, without the marks of Markdown: a title for something that has none. */
export const titleOf = (text: string): string => {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? ''
  const plain = line.replace(/^[\s#>*-]+/, '').trim()
  return plain.length > 120 ? `${plain.slice(0, 119)}…` : plain || 'Requirement'
}
