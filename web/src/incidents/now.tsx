import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import { CircleHelp, CircleSlash, Eye, type LucideIcon, Search, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import { dateOf } from '../browser/formats.ts'
import { useAction } from '../ui/action.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Card } from '../ui/page.tsx'

const underWay = ['queued', 'working', 'waiting', 'merging', 'reverting']

/** What is happening automatically and what waits for a person: what an on-call engineer wants to know first. */
export function Now({ incident }: { incident: IncidentPage }) {
  const asked = incident.decisions.filter(({ status }) => status === 'pending')
  const declined = asked.length === 0 && mayAskAnyway(incident) ? incident.declined : null
  if (asked.length === 0 && !declined && incident.status === 'resolved') return null
  return (
    <Card className="mb-5 flex flex-col gap-3 p-4 text-sm">
      <h2 className="sr-only">Now</h2>
      {asked.map(({ key, title }) => (
        <div key={key} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <Sentence icon={CircleHelp}>
            Waiting for a decision:{' '}
            <span className="font-medium">
              <bdi>
                <Coded text={title} />
              </bdi>
            </span>
          </Sentence>
          <KeyLink to="decision" of={key} className={buttonClass()}>
            Answer {key}
          </KeyLink>
        </div>
      ))}
      {asked.length === 0 && incident.status === 'open' && <UnderWay incident={incident} />}
      {declined && <Declined incident={incident.key} declined={declined} />}
    </Card>
  )
}

/** Whether the sentence below says that nothing but looking is done: then nothing else on the page has to. */
export const saysObserveOnly = ({ observeOnly, status, decisions, finding, runs }: IncidentPage): boolean =>
  observeOnly &&
  status === 'open' &&
  finding !== null &&
  !decisions.some((decision) => decision.status === 'pending') &&
  !runs.some(({ phase }) => underWay.includes(phase))

/** As the server has it: where something was found that a story could fix, and no one works on it. */
const mayAskAnyway = ({ finding, status, observeOnly, runs }: IncidentPage): boolean =>
  !observeOnly &&
  !runs.some(({ phase }) => underWay.includes(phase)) &&
  (finding?.outcome === 'code' || (finding?.outcome === 'not_code' && status === 'open'))

interface DeclinedProps {
  incident: string
  declined: NonNullable<IncidentPage['declined']>
}

/** Someone has said no to this before, so the question is not asked again automatically. */
function Declined({ incident, declined: { decision, by, at } }: DeclinedProps) {
  const ask = useAction('incidents.askAnyway', {
    alsoStale: ['decisions'],
    said: (asked) => `${asked.decision} is waiting for an answer`,
  })
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <Sentence icon={CircleSlash}>
        {by ?? 'Someone'} declined a fix for this on {dateOf(at)} (
        <KeyLink to="decision" of={decision} className="font-mono text-xs text-accent hover:underline">
          {decision}
        </KeyLink>
        ), so it isn’t proposed again.
      </Sentence>
      <Button {...ask.button({ incident })}>Ask anyway</Button>
    </div>
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
      The incident resolves when all its alerts have recovered, or when someone resolves it.
    </Sentence>
  )
}

const Sentence = ({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) => (
  <p className="flex items-start gap-2">
    <Icon size={15} aria-hidden="true" className="mt-0.5 shrink-0 text-muted" />
    <span className="min-w-0 wrap-anywhere">{children}</span>
  </p>
)
