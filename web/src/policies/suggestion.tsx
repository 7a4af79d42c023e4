import type { RehearsedSuggestion } from '@signalbox/contract/app/suggestions.ts'
import { maxReasonLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { useForbiddenHere } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { LeaveGuard } from '../ui/leave-guard.tsx'
import { Card, Section } from '../ui/page.tsx'
import { LongTextField } from '../ui/text-field.tsx'
import { RehearsalFound } from './rehearsal.tsx'
import { askedOf, groundsOf } from './suggested.ts'

/** What people's own answers suggest for this policy. Only those who can change it are asked. */
export const useSuggestion = (team: string) =>
  useRead('suggestions.read', { team }, { enabled: useMay('admin') })

/** The suggestion, what speaks for it, what it would have done, and the answer. */
export function Suggestion({ suggestion }: { suggestion: RehearsedSuggestion }) {
  const { team, basedOn, maxLines, merges, rehearsal } = suggestion
  const [reason, setReason] = useState('')
  const forbidden = useForbiddenHere('change the policy', 'policies', { name: team })
  const accept = useAction('suggestions.accept', {
    said: ({ version }) => `Policy saved as version ${version}`,
    alsoStale: ['policies', 'teams'],
  })
  const decline = useAction('suggestions.decline', { said: 'Suggestion declined' })
  const answer = { team, basedOn, maxLines, ...(reason.trim() ? { reason: reason.trim() } : {}) }
  return (
    <Section title="Suggestion" hint="The policy changes only if you accept it.">
      <Card className="flex flex-col gap-3 p-4">
        <h3 className="font-medium">{askedOf(suggestion)}</h3>
        <p className="text-sm">{groundsOf(suggestion)}</p>
        <p className="text-sm text-muted">
          Denied paths, failed gates and notable changes still need a person, whatever their size.
        </p>
        <details className="text-sm">
          <summary className="w-fit text-xs leading-6 font-medium text-accent">
            {merges.length} merges
          </summary>
          <ul className="mt-1 flex flex-col gap-1">
            {merges.map(({ decision, title, lines }) => (
              <li key={decision} className="flex flex-wrap items-baseline gap-x-2">
                <KeyLink to="decision" of={decision} className="min-w-0 break-words hover:underline">
                  <bdi>
                    <Coded text={title} />
                  </bdi>
                </KeyLink>
                <span className="text-xs text-muted">{lines === 1 ? '1 line' : `${lines} lines`}</span>
              </li>
            ))}
          </ul>
        </details>
        <RehearsalFound of={rehearsal} />
        <LeaveGuard
          when={reason.trim() !== '' && !accept.isPending && !decline.isPending}
          what="Your reason"
        />
        <LongTextField
          label="Reason"
          hint="Optional. Shown in the audit log."
          rows={2}
          maxLength={maxReasonLength}
          value={reason}
          onChange={setReason}
        />
        <div className="flex flex-wrap gap-2">
          <Button look="primary" forbidden={forbidden} {...accept.button(answer)}>
            Change policy
          </Button>
          <Button {...decline.button(answer)}>Decline suggestion</Button>
        </div>
      </Card>
    </Section>
  )
}
