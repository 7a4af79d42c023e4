import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { grouped, money } from '../browser/formats.ts'
import { Card, Section } from '../ui/page.tsx'
import { Spent } from '../ui/spent.tsx'
import { Table } from '../ui/table.tsx'
import { executors } from '../words/executors.ts'
import { RunState, stages } from '../words/runs.tsx'
import { reportedSentence } from './reported.ts'

/** What the run cost, by attempt and stage, and what is left to spend. */
export function Cost({ detail }: { detail: RunPage }) {
  const { run, team, costs, models } = detail
  const reported = reportedSentence(models)
  return (
    <>
      <Section
        title="Budgets"
        hint="A run that reaches its budget asks a person, or waits for the next day or month."
      >
        <Card className="p-4">
          <dl className="grid gap-3 text-sm sm:grid-cols-3">
            <Budget
              name={detail.local ? 'This run, metered part' : 'This run'}
              spent={run.costCents}
              limit={run.budgetCents}
            />
            <Budget name={`${team.name} today`} spent={team.day.spentCents} limit={team.day.limitCents} />
            <Budget
              name={`${team.name} this month`}
              spent={team.month.spentCents}
              limit={team.month.limitCents}
            />
          </dl>
          {reported && <p className="mt-3 text-sm text-muted">{reported}</p>}
        </Card>
      </Section>
      {run.costCents > 0 && (
        <Section title="By attempt">
          <Table
            caption="Cost by attempt"
            rows={run.attemptList}
            keyOf={({ attempt }) => String(attempt)}
            columns={[
              { title: 'Attempt', cell: ({ attempt }) => <AttemptNumber of={attempt} /> },
              {
                title: 'Status',
                cell: (attempt) => (
                  <RunState
                    run={{ ...attempt, phase: attempt.attempt === run.attempts ? detail.phase : 'working' }}
                  />
                ),
              },
              { title: 'Coding agent', cell: ({ executor }) => executors[executor] },
              { title: 'Cost', right: true, cell: ({ costCents }) => money(costCents) },
            ]}
          />
        </Section>
      )}
      {costs.length > 0 && (
        <Section title="By stage" hint="As billed, in fractions of a cent. Totals are rounded up.">
          <Table
            caption="Cost by attempt and stage"
            rows={costs}
            keyOf={({ attempt, stage }) => `${attempt} ${stage}`}
            columns={[
              { title: 'Attempt', cell: ({ attempt }) => <AttemptNumber of={attempt} /> },
              {
                title: 'Stage',
                cell: ({ stage }) => (stage ? stages[stage] : 'No stage'),
              },
              { title: 'Cost', right: true, cell: ({ cents }) => money(Math.round(cents * 100) / 100) },
            ]}
          />
        </Section>
      )}
      {models.length > 0 && (
        <Section
          title="By model"
          hint="Counted by the runner’s model gateway, or reported by the coding agent where it signs in to the model on its own."
        >
          <Table
            caption="Cost by model"
            rows={models}
            keyOf={({ source, provider, model, priceTable }) =>
              `${source} ${provider} ${model} ${priceTable}`
            }
            columns={[
              {
                title: 'Model',
                cell: ({ provider, model }) => [provider, model].filter(Boolean).join(' ') || 'Not reported',
              },
              { title: 'Source', cell: ({ source }) => (source ? sources[source] : 'Not reported') },
              { title: 'Prices', cell: ({ priceTable }) => priceTable ?? 'Not in a price table' },
              { title: 'Input', right: true, cell: ({ input }) => tokens(input) },
              { title: 'Cached', right: true, cell: ({ cacheRead }) => tokens(cacheRead) },
              { title: 'Output', right: true, cell: ({ output }) => tokens(output) },
              { title: 'Cost', right: true, cell: ({ cents }) => money(Math.round(cents * 100) / 100) },
            ]}
          />
        </Section>
      )}
    </>
  )
}

/** On a phone it is the title of a card, where a number alone says nothing. */
const AttemptNumber = ({ of }: { of: number }) => (
  <>
    <span className="md:hidden">Attempt </span>
    {of}
  </>
)

const sources = { gateway: 'Gateway', agent: 'Agent’s own numbers, not metered' }
const tokens = (count: number | null) => (count === null ? null : grouped(count))

const Budget = ({ name, spent, limit }: { name: string; spent: number; limit: number | null }) => (
  <div>
    <dt className="mb-1 text-xs text-muted">{name}</dt>
    <dd>
      <Spent cents={spent} ofCents={limit} />
    </dd>
  </div>
)
