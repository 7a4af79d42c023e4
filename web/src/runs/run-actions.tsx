import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { RotateCcw, Square, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useMay, useMe } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Confirm, Dialog, DialogEnd } from '../ui/dialog.tsx'
import { LongTextField } from '../ui/text-field.tsx'
import { complain, say } from '../ui/toast.tsx'
import { isOver, statuses } from '../words/runs.tsx'

/** Stop what is going on, or have another attempt made. */
export function RunActions({ detail }: { detail: RunPage }) {
  const [open, setOpen] = useState<'stop' | 'retry' | 'giveBack' | null>(null)
  const { run, otherRun, local } = detail
  const [me, isAdmin] = [useMe(), useMay('admin')]
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
      <Button
        icon={<RotateCcw size={14} aria-hidden="true" />}
        forbidden={noRetry}
        onClick={() => setOpen('retry')}
      >
        Retry
      </Button>
      <Button
        icon={<Square size={12} aria-hidden="true" />}
        forbidden={isOver(run.status) && `The run has already ${word}`}
        onClick={() => setOpen('stop')}
      >
        Stop
      </Button>
      {local?.active && (
        <Button
          icon={<Undo2 size={14} aria-hidden="true" />}
          forbidden={!mayGiveBack && `Only ${local.person}, owners and admins can give it back`}
          onClick={() => setOpen('giveBack')}
        >
          Give back
        </Button>
      )}
      <StopDialog detail={detail} open={open === 'stop'} onClose={() => setOpen(null)} />
      <RetryDialog detail={detail} open={open === 'retry'} onClose={() => setOpen(null)} />
      <GiveBackDialog detail={detail} open={open === 'giveBack'} onClose={() => setOpen(null)} />
    </>
  )
}

interface DialogProps {
  detail: RunPage
  open: boolean
  onClose: () => void
}

function StopDialog({ detail: { run }, open, onClose }: DialogProps) {
  const stop = useWrite('runs.stop', { alsoStale: ['decisions', 'stories'] })
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={`Stop ${run.key}?`}
      action={`Stop ${run.key}`}
      busy={stop.isPending}
      onConfirm={() =>
        stop.mutate(
          { key: run.key },
          {
            onSuccess: () => {
              say(`${run.key} stopped`)
              onClose()
            },
            onError: complain,
          },
        )
      }
    >
      <p>
        Attempt {run.attempts} ends, and any work it hasn’t pushed is lost. {run.story.key} stays where it is
        on the board, and any open question from this run is cancelled. You can retry the run later.
      </p>
    </Confirm>
  )
}

function GiveBackDialog({ detail: { run, local, team }, open, onClose }: DialogProps) {
  const giveBack = useWrite('runs.giveBack', { alsoStale: ['stories', 'teams'] })
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={`Give ${run.story.key} back?`}
      action="Give back"
      busy={giveBack.isPending}
      onConfirm={() =>
        giveBack.mutate(
          { key: run.key },
          {
            onSuccess: () => {
              say(`${run.story.key} is back in Ready`)
              onClose()
            },
            onError: complain,
          },
        )
      }
    >
      <p>
        {local?.person}’s work on {run.story.key} ends, and the story returns to Ready, where {team.name} can
        pick it up. Branches that were pushed stay.
      </p>
    </Confirm>
  )
}

function RetryDialog({ detail: { run }, open, onClose }: DialogProps) {
  const [guidance, setGuidance] = useState('')
  const retry = useWrite('runs.retry', { alsoStale: ['stories', 'teams'] })
  const send = () =>
    retry.mutate(
      { key: run.key, ...(guidance.trim() ? { guidance } : {}) },
      {
        onSuccess: ({ attempt }) => {
          say(`Attempt ${attempt} of ${run.key} queued`)
          setGuidance('')
          onClose()
        },
        onError: complain,
      },
    )
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Retry ${run.key}`}
      description={`Starts attempt ${run.attempts + 1} on ${run.story.key} with the current policy. Money already spent still counts.`}
    >
      <LongTextField
        label="Guidance for the agent"
        hint={`Optional. ${(maxNoteLength - guidance.length).toLocaleString('en')} characters left.`}
        rows={5}
        maxLength={maxNoteLength}
        placeholder="What should it do differently this time?"
        value={guidance}
        onChange={setGuidance}
      />
      <DialogEnd className="mt-4" action="Retry" busy={retry.isPending} onClose={onClose} onClick={send} />
    </Dialog>
  )
}
