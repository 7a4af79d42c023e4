import type { Race } from '@signalbox/contract/app/runs.ts'
import { CircleCheck, CircleDashed, CircleX, LoaderCircle, Trophy } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { moneyToTheCent } from '../browser/formats.ts'
import { Counts } from '../changes/counts.tsx'
import { Badge, type Look } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { executors } from '../words/executors.ts'

type Agent = Race['agents'][number]

/** Whose change is shown: as the server is asked for it. */
type WhichAgent = 'first' | 'second'
const which = ['first', 'second'] as const

const states: Record<Agent['state'], Look> = {
  waiting: { tone: 'neutral', icon: CircleDashed, word: 'Not started' },
  working: { tone: 'info', icon: LoaderCircle, word: 'Working' },
  verified: { tone: 'ok', icon: CircleCheck, word: 'Verified' },
  failed: { tone: 'danger', icon: CircleX, word: 'Failed' },
}

const rules: Record<NonNullable<Race['because']>, string> = {
  only: 'the only change that was verified',
  gates: 'more gates passed',
  size: 'fewer lines',
  cost: 'as many lines, at a lower cost',
  first: 'as many lines at the same cost, and it went first',
}

/** Two agents that work on one story, side by side; one above the other on a phone. */
export function RaceLanes({ race }: { race: Race }) {
  return (
    <section aria-label="Race" className="mb-5 grid gap-3 sm:grid-cols-2">
      {race.agents.map((agent, lane) => (
        <div key={agent.executor} className="min-w-0 rounded-lg border bg-surface px-3 py-2.5">
          <div className="mb-2 flex flex-wrap items-center gap-1.5">
            <span className="font-semibold">{executors[agent.executor]}</span>
            <Badge {...states[agent.state]} />
            {race.proposed === lane && <Badge tone="accent" icon={Trophy} word="Proposed" />}
          </div>
          <Figures agent={agent} />
          {race.proposed === lane && (
            <p className="mt-2 text-xs text-muted">
              {race.because ? `Proposed: ${rules[race.because]}` : 'Chosen by a person'}
            </p>
          )}
          {agent.failure && (
            <p className="mt-2 text-xs break-words text-muted">
              <bdi>{agent.failure}</bdi>
            </p>
          )}
        </div>
      ))}
    </section>
  )
}

function Figures({ agent }: { agent: Agent }) {
  if (agent.state === 'waiting' || agent.state === 'working')
    return (
      <p className="text-sm text-muted">
        {agent.state === 'waiting' ? 'Starts when the other agent is done.' : 'Working on the story now.'}
      </p>
    )
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-sm [&_dt]:text-muted">
      <dt>Gates</dt>
      <dd className="break-words">
        {agent.failed.length > 0
          ? `${agent.failed.length} failed: ${agent.failed.join(', ')}`
          : `${agent.passed} passed`}
      </dd>
      <dt>Changes</dt>
      <dd className="flex flex-wrap items-center gap-x-1.5">
        <Counts of={agent} /> in {agent.files} {agent.files === 1 ? 'file' : 'files'}
      </dd>
      <dt>Cost</dt>
      <dd className="tabular-nums">{moneyToTheCent(agent.costCents)}</dd>
    </dl>
  )
}

interface Props {
  race: Race | null
  /** Shows the change of an agent; undefined: of the run. */
  children: (agent: WhichAgent | undefined, isProposed: boolean) => ReactNode
}

/** Chooses whose change is shown. */
export function RaceChanges({ race, children }: Props) {
  const [chosen, choose] = useState<0 | 1 | null>(null)
  if (!race) return children(undefined, true)
  const lane = chosen ?? race.proposed ?? 0
  return (
    <>
      <fieldset aria-label="Whose changes" className="mb-3 flex flex-wrap gap-1">
        {race.agents.map(({ executor }, at) => (
          <Button
            key={executor}
            size="small"
            look={at === lane ? 'plain' : 'quiet'}
            aria-pressed={at === lane}
            onClick={() => choose(at === 0 ? 0 : 1)}
          >
            {executors[executor]}
          </Button>
        ))}
      </fieldset>
      {children(which[lane], lane === race.proposed)}
    </>
  )
}
