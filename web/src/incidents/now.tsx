import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import { CircleHelp, Eye, type LucideIcon, Search, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonClass } from '../ui/button.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Card } from '../ui/page.tsx'

const underWay = ['queued', 'working', 'waiting', 'merging', 'reverting']

/** What goes on by itself, and what waits for a person: what somebody who was woken wants to know first. */
export function Now({ incident }: { incident: IncidentPage }) {
  const asked = incident.decisions.filter(({ status }) => status === 'pending')
  if (asked.length === 0 && incident.status === 'resolved') return null
  return (
    <Card className="mb-5 flex flex-col gap-3 p-4 text-sm">
      <h2 className="sr-only">Now</h2>
      {asked.map(({ key, title }) => (
        <div key={key} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <Sentence icon={CircleHelp}>
            Waiting for a decision: <span className="font-medium">{title}</span>
          </Sentence>
          <KeyLink to="decision" of={key} className={buttonClass('primary')}>
            Answer {key}
          </KeyLink>
        </div>
      ))}
      {asked.length === 0 && <UnderWay incident={incident} />}
    </Card>
  )
}

function UnderWay({ incident: { finding, runs, observeOnly } }: { incident: IncidentPage }) {
  const run = runs.find(({ phase }) => underWay.includes(phase))
  if (!finding) return <Sentence icon={Search}>Investigating…</Sentence>
  if (run)
    return (
      <Sentence icon={Wrench}>
        A fix {run.phase === 'waiting' ? 'needs an answer' : 'is in progress'}:{' '}
        <KeyLink to="run" of={run.key} className="font-mono text-xs text-accent hover:underline" /> for{' '}
        {run.story}.
      </Sentence>
    )
  return (
    <Sentence icon={Eye}>
      {observeOnly
        ? 'This service is set to observe only, so nothing is started or proposed.'
        : 'Nothing in progress, and no decisions waiting.'}{' '}
      The incident resolves when all its alerts have recovered.
    </Sentence>
  )
}

const Sentence = ({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) => (
  <p className="flex items-start gap-2">
    <Icon size={15} aria-hidden="true" className="mt-0.5 shrink-0 text-muted" />
    <span className="min-w-0 wrap-anywhere">{children}</span>
  </p>
)
