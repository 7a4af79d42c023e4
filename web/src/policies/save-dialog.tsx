import type { PolicyVersion } from '@signalbox/contract/app/policies.ts'
import { maxReasonLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { LongTextField } from '../ui/text-field.tsx'
import { DifferenceList } from './difference-list.tsx'
import type { Difference, Draft } from './differences.ts'
import { RehearsalSection } from './rehearsal.tsx'

/** What someone else saved after the form was opened. */
export interface Meanwhile {
  theirs: PolicyVersion
  by: string | null
  changes: Difference[]
}

interface Props {
  title: string
  description: string
  team: string
  /** The policy that is about to be saved. */
  draft: Draft
  changes: Difference[]
  meanwhile?: Meanwhile | null
  of: { isPending: boolean; error: Error | null }
  action: string
  onClose: () => void
  onSave: (reason: string) => void
  /** Puts the own changes on top of the other person's. */
  onTop?: () => void
}

/** The last look before a policy changes: what, what it would have done, and why. */
export function SaveDialog({ description, team, draft, changes, meanwhile, onSave, onTop, ...rest }: Props) {
  const [reason, setReason] = useState('')
  return (
    <FormDialog
      {...rest}
      wide
      description={meanwhile ? null : description}
      forbidden={meanwhile ? 'Apply your changes on top first' : changes.length === 0 && 'No changes to save'}
      onSend={() => onSave(reason.trim())}
    >
      {meanwhile && (
        <div role="alert" className="rounded-lg border bg-warn-soft p-3 text-sm">
          <p className="mb-2 font-semibold">
            {meanwhile.by ?? 'Someone'} saved version {meanwhile.theirs.version} in the meantime
          </p>
          <DifferenceList of={meanwhile.changes} />
          <p className="mt-2 text-muted">
            Your changes are still here. Apply them on top, then review them again.
          </p>
          <Button className="mt-2" onClick={onTop}>
            Apply my changes on top
          </Button>
        </div>
      )}
      <div>
        <h3 className="mb-2 text-sm font-medium">
          {meanwhile ? 'Your changes' : changes.length === 1 ? '1 change' : `${changes.length} changes`}
        </h3>
        {changes.length > 0 ? (
          <DifferenceList of={changes} />
        ) : (
          <p className="text-sm text-muted">No changes from the current policy.</p>
        )}
      </div>
      {changes.length > 0 && <RehearsalSection team={team} draft={draft} />}
      <LongTextField
        label="Reason"
        hint="Optional. Shown in the history and the audit log."
        rows={2}
        maxLength={maxReasonLength}
        value={reason}
        onChange={setReason}
      />
    </FormDialog>
  )
}
