import type { ReviewSeverity } from '@signalbox/contract/reviewers.ts'
import { CircleAlert, CircleMinus, TriangleAlert } from 'lucide-react'
import { Badge, type Look } from '../ui/badge.tsx'
import { Card, Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { executors } from '../words/executors.ts'
import type { Pack } from './receipt.tsx'

const severities: Record<ReviewSeverity, Look> = {
  high: { word: 'High', tone: 'danger', icon: TriangleAlert },
  medium: { word: 'Medium', tone: 'warn', icon: CircleAlert },
  low: { word: 'Low', tone: 'neutral', icon: CircleMinus },
}

/** What another coding agent found in the change. Its words are text and nothing else: they were written by a model. */
export function SecondReview({ review }: { review: NonNullable<Pack['secondReview']> }) {
  const { result, agent, model, says, findings } = review
  const by = agent && `${executors[agent]}${model ? `, ${model}` : ''}`
  return (
    <Section
      title="Second review"
      hint={by && (result === 'reviewed' ? `By ${by}, which only read the change.` : `Assigned to ${by}.`)}
    >
      {(says || findings.length === 0) && (
        <Card className="p-4">
          <p dir="auto" className="text-sm break-words whitespace-pre-line">
            {says ?? 'No findings.'}
          </p>
          {says && result === 'reviewed' && findings.length === 0 && (
            <p className="mt-1 text-sm">No findings.</p>
          )}
        </Card>
      )}
      {findings.length > 0 && (
        <Table
          caption="Findings of the second review"
          rows={findings.map((finding, at) => ({ ...finding, at }))}
          keyOf={({ at }) => String(at)}
          columns={[
            { title: 'Severity', card: 'state', cell: ({ severity }) => <Badge {...severities[severity]} /> },
            {
              title: 'Where',
              cell: ({ file, line }) =>
                file === null ? (
                  <span className="text-muted">Whole change</span>
                ) : (
                  <code className="font-mono text-xs break-all">
                    {line === null ? file : `${file}:${line}`}
                  </code>
                ),
            },
            {
              title: 'Finding',
              card: 'title',
              cell: ({ says: what }) => (
                <span dir="auto" className="block break-words whitespace-pre-line">
                  {what}
                </span>
              ),
            },
          ]}
        />
      )}
    </Section>
  )
}
