import type { RunDecision, RunPage } from '@signalbox/contract/app/runs.ts'
import { MessageCircleQuestion } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Empty } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { kinds, statuses } from '../words/decisions.ts'

/** What people were asked about the run. */
export function RunDecisions({ detail: { decisions } }: { detail: RunPage }) {
  if (decisions.length === 0)
    return (
      <Empty icon={MessageCircleQuestion} title="No decisions">
        The team’s policy says when a person is asked.
      </Empty>
    )
  return (
    <Table
      caption="Decisions in this run, newest first"
      rows={decisions}
      keyOf={({ key }) => key}
      columns={[
        { title: 'Decision', cell: (decision) => <Asked decision={decision} /> },
        { title: 'Status', cell: ({ status }) => <Badge {...statuses[status]} /> },
        { title: 'Answer', cell: (decision) => (decision.answer ? <Answer decision={decision} /> : null) },
        { title: 'Asked', cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          title: 'Answered',
          cell: ({ status, resolvedAt }) =>
            status === 'resolved' && resolvedAt ? <Time at={resolvedAt} /> : null,
        },
      ]}
    />
  )
}

function Asked({ decision: { key, kind, title } }: { decision: RunDecision }) {
  const { name, icon: Icon } = kinds[kind]
  return (
    <div className="max-md:text-left">
      <KeyLink
        to="decision"
        of={key}
        className="inline-block min-h-6 py-0.5 font-medium [overflow-wrap:anywhere] hover:underline"
      >
        <bdi>
          <Coded text={title} />
        </bdi>
      </KeyLink>
      <p className="flex flex-wrap items-center gap-x-1.5 text-xs text-muted">
        <Icon size={13} aria-hidden="true" className="shrink-0" />
        {name}
        <span className="font-mono">{key}</span>
      </p>
    </div>
  )
}

const Answer = ({ decision: { answer, note } }: { decision: RunDecision }) => (
  <div className="min-w-0">
    <div dir="auto">{answer}</div>
    {note && (
      <div dir="auto" className="text-xs text-muted [overflow-wrap:anywhere]">
        <Coded text={note} />
      </div>
    )}
  </div>
)
