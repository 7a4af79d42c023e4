import type { RunDecision, RunDetail } from '@signalbox/contract/app/runs.ts'
import { MessageCircleQuestion } from 'lucide-react'
import { useWorkspace } from '../api/queries.ts'
import { kinds } from '../decisions/kinds.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Empty, Link } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

const statuses: Record<RunDecision['status'], { word: string; tone: Tone }> = {
  pending: { word: 'Waiting', tone: 'warn' },
  resolved: { word: 'Answered', tone: 'ok' },
  expired: { word: 'Expired', tone: 'danger' },
  cancelled: { word: 'Taken back', tone: 'neutral' },
  superseded: { word: 'Superseded', tone: 'neutral' },
}

/** What people were asked about the run. */
export function RunDecisions({ detail: { decisions } }: { detail: RunDetail }) {
  const ws = useWorkspace()
  if (decisions.length === 0)
    return (
      <Empty icon={MessageCircleQuestion} title="Nobody was asked anything">
        The policy of the team says when a person decides.
      </Empty>
    )
  return (
    <Table
      caption="Decisions about the run, newest first"
      rows={decisions}
      keyOf={({ key }) => key}
      columns={[
        {
          title: 'Decision',
          cell: ({ key }) => (
            <Link
              to="/$ws/decisions/$key"
              params={{ ws, key }}
              className="inline-flex min-h-6 items-center font-mono text-xs font-medium text-accent hover:underline"
            >
              {key}
            </Link>
          ),
        },
        {
          title: 'Kind',
          cell: ({ kind }) => {
            const { name, icon: Icon } = kinds[kind]
            return (
              <span className="inline-flex items-center gap-1.5">
                <Icon size={14} aria-hidden="true" className="shrink-0 text-muted" />
                {name}
              </span>
            )
          },
        },
        {
          title: 'State',
          cell: ({ status }) => <Badge tone={statuses[status].tone}>{statuses[status].word}</Badge>,
        },
        {
          title: 'Answer',
          cell: ({ answer, note }) =>
            answer ? (
              <div className="min-w-0">
                <div>{answer}</div>
                {note && <div className="text-xs break-words text-muted">{note}</div>}
              </div>
            ) : (
              <span className="text-muted">none</span>
            ),
        },
        { title: 'Asked', cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          title: 'Answered',
          cell: ({ resolvedAt }) =>
            resolvedAt ? <Time at={resolvedAt} /> : <span className="text-muted">not</span>,
        },
      ]}
    />
  )
}
