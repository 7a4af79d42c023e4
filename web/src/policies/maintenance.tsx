import type { MaintenancePage, SurveyRow } from '@signalbox/contract/app/maintenance.ts'
import type { ReactNode } from 'react'
import { serverNow } from '../api/clock.ts'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { money } from '../browser/formats.ts'
import { useAction } from '../ui/action.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.ts'
import { Card, Loaded, Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Spent } from '../ui/spent.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { scheduleNames } from './words.ts'

/** What surveys of the team's repository have found and cost, and when the next one is. */
export function Maintenance({ team }: { team: string }) {
  const read = useRead('maintenance.read', { team })
  return (
    <Section
      title="Maintenance"
      hint="A survey looks over the repository and its strategy notes in .kanman/strategy.md, and proposes stories. It doesn’t change anything."
    >
      <Loaded of={read}>{(page) => <Surveys team={team} page={page} />}</Loaded>
    </Section>
  )
}

function Surveys({ team, page }: { team: string; page: MaintenancePage }) {
  const { settings, surveys, nextAt, obstacle } = page
  const forbidden = useForbidden('start and stop surveys')
  const start = useAction('maintenance.start', { said: 'Survey started' })
  const stop = useAction('maintenance.stop', { said: 'Survey stopped' })
  const last = surveys[0]
  const isOpen = last?.status === 'offered' || last?.status === 'taken'
  return (
    <>
      <Card className="p-4">
        <dl className="grid gap-3 text-sm sm:grid-cols-3">
          <Fact name="Schedule">{settings ? scheduleNames[settings.schedule] : 'No policy yet'}</Fact>
          <Fact name="Next survey">
            {nextAt === null ? 'Not scheduled' : isDue(nextAt) ? 'Due now' : <Time at={nextAt} />}
          </Fact>
          <Fact name="Spent this month">
            <Spent cents={page.spentMonthCents} ofCents={settings?.monthCents ?? null} />
          </Fact>
        </dl>
        {!isOpen && obstacle && <p className="mt-3 text-sm text-muted">{obstacle}</p>}
        <Refused error={start.error ?? stop.error} />
        <div className="mt-3">
          {isOpen ? (
            <Button busy={stop.isPending} forbidden={forbidden} onClick={() => stop.send({ team })}>
              Stop survey
            </Button>
          ) : (
            <Button
              busy={start.isPending}
              forbidden={forbidden || (obstacle ?? false)}
              onClick={() => start.send({ team })}
            >
              Start survey
            </Button>
          )}
        </div>
      </Card>
      {surveys.length === 0 ? (
        <p className="mt-3 text-sm text-muted">No surveys yet</p>
      ) : (
        <div className="mt-3">
          <Table
            caption="Recent surveys"
            rows={surveys}
            keyOf={({ key }) => key}
            columns={[
              { title: 'Started', cell: ({ startedAt }) => <Time at={startedAt} /> },
              { title: 'By', cell: ({ startedBy }) => startedBy ?? 'Schedule' },
              ...(new Set(surveys.map(({ repository }) => repository)).size > 1
                ? [{ title: 'Repository', cell: ({ repository }: SurveyRow) => repository ?? 'First' }]
                : []),
              { title: 'Status', cell: (survey) => <Badge {...surveyStatuses[survey.status]} /> },
              { title: 'Result', cell: resultOf },
              { title: 'Runner', cell: ({ runner }) => runner ?? 'None' },
              { title: 'Cost', right: true, cell: ({ costCents }) => money(costCents) },
              {
                title: 'Log',
                cell: ({ key }) => (
                  <Link
                    to="/$ws/teams/$team/settings/policy/surveys/$key"
                    params={{ team, key }}
                    className="text-accent hover:underline"
                    aria-label={`Log of survey ${key}`}
                  >
                    Log
                  </Link>
                ),
              },
            ]}
          />
        </div>
      )}
    </>
  )
}

const isDue = (at: string) => Date.parse(at) <= serverNow()

export const surveyStatuses = {
  offered: { tone: 'neutral', word: 'Waiting for a runner' },
  taken: { tone: 'accent', word: 'Running' },
  succeeded: { tone: 'ok', word: 'Succeeded' },
  failed: { tone: 'danger', word: 'Failed' },
  stopped: { tone: 'neutral', word: 'Stopped' },
} as const

export function resultOf({ status, proposals, leftOut, touched, error }: SurveyRow): string {
  if (error) return error
  if (status !== 'succeeded') return 'Not yet'
  const known = leftOut > 0 ? `, ${leftOut} left out as already known` : ''
  const changed =
    touched.length > 0
      ? `, changes to ${touched.length === 1 ? '1 file' : `${touched.length} files`} discarded`
      : ''
  return `${proposals === 1 ? '1 proposal' : `${proposals} proposals`}${known}${changed}`
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt className="mb-1 text-xs text-muted">{name}</dt>
    <dd>{children}</dd>
  </div>
)
