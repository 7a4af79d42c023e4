import type { DecisionInFull, DecisionPage, DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { useEffect, useRef } from 'react'
import { useWorkspace } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { ago } from '../ui/ago.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { TeamName } from '../ui/team-name.tsx'
import { LongTextField } from '../ui/text-field.tsx'
import { useMinute } from '../ui/time.tsx'
import { dropDraft, useDraft } from './drafts.ts'
import { closedSentence, effectSentence } from './wording.ts'

interface Props {
  decision: DecisionInFull
  full: DecisionPage
  /** Answered here, by this person. */
  isMine: boolean
  /** It was open on this screen when someone else closed it. */
  isRaced: boolean
}

/** The outcome of a decision that takes no answer any more. */
export function Outcome({ decision, full, isMine, isRaced }: Props) {
  useMinute()
  const card = useRef<HTMLDivElement>(null)
  const at = decision.status === 'expired' ? decision.expiresAt : decision.resolvedAt
  // The form that had the focus is gone: its user is told why, and further typing triggers no shortcut.
  useEffect(() => {
    if (!isMine && !isRaced) return
    card.current?.scrollIntoView({ block: 'nearest' })
    if (document.activeElement !== document.body) return
    const note = card.current?.querySelector('textarea')
    ;(note ?? card.current)?.focus({ preventScroll: true })
  }, [isMine, isRaced])
  return (
    <div
      ref={card}
      tabIndex={-1}
      className={`rounded-lg border px-4 py-3 outline-none ${isRaced ? 'border-warn bg-warn-soft' : 'bg-surface'}`}
    >
      <p role={isRaced ? 'alert' : 'status'} className="font-medium break-words">
        {closedSentence(decision)}
        {isRaced && decision.status === 'resolved' && ' The first answer wins.'}
      </p>
      {at && (
        <p className="mt-0.5 text-xs text-muted">
          {ago(at)}, {dateOf(at)}
        </p>
      )}
      {decision.resolution?.note && (
        <p dir="auto" className="mt-2 border-l-2 pl-3 text-sm break-words whitespace-pre-wrap">
          {decision.resolution.note}
        </p>
      )}
      {full.effects.length > 0 && (
        <ul className="mt-2 flex flex-col gap-1 text-sm text-muted">
          {full.effects.map((effect) => (
            <li key={`${effect.type}-${effect.target.id}`} className="flex flex-wrap items-center gap-x-2">
              <span>{effectSentence(effect)}</span>
              <Target target={effect.target} />
            </li>
          ))}
        </ul>
      )}
      {!isMine && <UnsentNote decision={decision} />}
    </div>
  )
}

/** What was typed and never sent: to be copied, or let go. */
function UnsentNote({ decision }: { decision: DecisionRow }) {
  const ws = useWorkspace()
  const { note } = useDraft(ws, decision.key)
  if (!note) return null
  return (
    <div className="mt-3 flex flex-col gap-2">
      <LongTextField
        label="Your unsent note"
        readOnly
        rows={3}
        value={note}
        // Typing would otherwise scroll away from the reason why it does not appear.
        onKeyDown={(event) => event.key === ' ' && event.preventDefault()}
      />
      <div className="flex flex-wrap gap-2">
        <CopyButton text={note} label="Copy note" withWords />
        <Button size="small" onClick={() => dropDraft(ws, decision.key)}>
          Discard
        </Button>
      </div>
    </div>
  )
}

function Target({ target: { type, id } }: { target: DecisionPage['effects'][number]['target'] }) {
  const look = 'inline-flex min-h-6 items-center text-accent hover:underline'
  return type === 'team' ? (
    <Link to="/$ws/teams/$team/board" params={{ team: id }} className={look}>
      <TeamName of={id} />
    </Link>
  ) : (
    <KeyLink to={type} of={id} className={look} />
  )
}
