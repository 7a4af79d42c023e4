import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { RotateCcw, Square, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useMay, useMe } from '../api/me.ts'
import { useAction } from '../ui/action.ts'
import { AskButton, OpenButton } from '../ui/dialog.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { LongTextField } from '../ui/text-field.tsx'
import { isOver, statuses } from '../words/runs.tsx'

/** Stop what is going on, or have another attempt made. */
export function RunActions({ detail }: { detail: RunPage }) {
  const { run, otherRun, local, team } = detail
  const [me, isAdmin] = [useMe(), useMay('admin')]
  const stop = useAction('runs.stop', { alsoStale: ['decisions', 'stories'], said: `${run.key} stopped` })
  const giveBack = useAction('runs.giveBack', {
    alsoStale: ['stories', 'teams'],
    said: `${run.story.key} is back in Ready`,
  })
  const mayGiveBack = isAdmin || me?.id === local?.personId
  const word = statuses[run.status].word.toLowerCase()
  const mayRetry = isOver(run.status) && run.status !== 'succeeded'
  const noRetry = !mayRetry
    ? 'Only runs that failed, timed out or were stopped can be retried'
    : otherRun
      ? `${otherRun} is already working on ${run.story.key}. Stop it first or let it finish`
      : false
  return (
    <>
      <OpenButton label="Retry" icon={<RotateCcw size={14} aria-hidden="true" />} forbidden={noRetry}>
        {(close) => <RetryDialog run={run} onClose={close} />}
      </OpenButton>
      <AskButton
        label="Stop"
        icon={<Square size={12} aria-hidden="true" />}
        forbidden={isOver(run.status) && `The run has already ${word}`}
        does={stop}
        to={{ key: run.key }}
        title={`Stop ${run.key}?`}
        action={`Stop ${run.key}`}
      >
        <p>
          Attempt {run.attempts} ends, and any work it hasn’t pushed is lost. {run.story.key} stays where it
          is on the board, and any open question from this run is cancelled. You can retry the run later.
        </p>
      </AskButton>
      {local?.active && (
        <AskButton
          label="Give back"
          icon={<Undo2 size={14} aria-hidden="true" />}
          forbidden={!mayGiveBack && `Only ${local.person}, owners and admins can give it back`}
          does={giveBack}
          to={{ key: run.key }}
          title={`Give ${run.story.key} back?`}
          action="Give back"
        >
          <p>
            {local.person}’s work on {run.story.key} ends, and the story returns to Ready, where {team.name}{' '}
            can pick it up. Branches that were pushed stay.
          </p>
        </AskButton>
      )}
    </>
  )
}

function RetryDialog({ run, onClose }: { run: RunPage['run']; onClose: () => void }) {
  const [guidance, setGuidance] = useState('')
  const retry = useAction('runs.retry', {
    alsoStale: ['stories', 'teams'],
    said: ({ attempt }) => `Attempt ${attempt} of ${run.key} queued`,
    next: onClose,
  })
  return (
    <FormDialog
      onClose={onClose}
      title={`Retry ${run.key}`}
      description={`Starts attempt ${run.attempts + 1} on ${run.story.key} with the current policy. Money already spent still counts.`}
      of={retry}
      action="Retry"
      onSend={() => retry.send({ key: run.key, ...(guidance.trim() ? { guidance } : {}) })}
    >
      <LongTextField
        label="Guidance for the agent"
        hint="Optional."
        rows={5}
        maxLength={maxNoteLength}
        placeholder="What should it do differently this time?"
        value={guidance}
        onChange={setGuidance}
      />
    </FormDialog>
  )
}
