import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import { CircleHelp, CloudOff, Code, GitMerge } from 'lucide-react'
import { dateOf } from '../browser/formats.ts'
import { Badge, type Look } from '../ui/badge.tsx'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Card, Section } from '../ui/page.tsx'
import { Fact } from './facts.tsx'

type Found = NonNullable<IncidentPage['finding']>

const outcomes: Record<Found['outcome'], Look> = {
  suspect_merge: { word: 'Likely caused by a merge', icon: GitMerge, tone: 'warn' },
  code: { word: 'Caused by code, no clear merge', icon: Code, tone: 'warn' },
  not_code: { word: 'Cause outside the code', icon: CloudOff, tone: 'info' },
  unknown: { word: 'Unknown cause', icon: CircleHelp, tone: 'neutral' },
}

export function Finding({ finding }: { finding: Found | null }) {
  if (!finding)
    return (
      <Section title="Investigation">
        <Card className="p-4 text-sm text-muted">
          Investigating: checking the alerts and what was merged in the last 48 hours. The result shows up
          here.
        </Card>
      </Section>
    )
  const percent = Math.round(finding.confidence * 100)
  return (
    <Section title="Investigation">
      <Card className="flex flex-col gap-3 p-4">
        <div className="flex flex-wrap items-center gap-2">
          <Badge {...outcomes[finding.outcome]} />
          {finding.outcome !== 'unknown' && (
            <span className="flex items-center gap-2 text-xs text-muted">
              <span
                aria-hidden="true"
                className="h-1.5 w-20 overflow-hidden rounded-full bg-line forced-color-adjust-none"
              >
                <span className="block h-full bg-accent-fill" style={{ width: `${percent}%` }} />
              </span>
              {percent}% confidence
            </span>
          )}
        </div>
        <p dir="auto" className="text-sm break-words">
          <Coded text={finding.summary} />
        </p>
        {finding.suspect && <Suspect suspect={finding.suspect} />}
        {finding.evidence.length > 0 && (
          <div>
            <h3 className="mb-1 text-xs font-medium text-muted">
              {finding.outcome === 'unknown' ? 'What we checked' : 'Evidence and weight'}
            </h3>
            <ul className="flex flex-col gap-1 text-sm">
              {finding.evidence.map((piece) => (
                <Evidence key={piece} piece={piece} />
              ))}
            </ul>
          </div>
        )}
      </Card>
    </Section>
  )
}

/** Evidence ends with its weight, as in `(+0.55)`; that is in a column of its own. */
function Evidence({ piece }: { piece: string }) {
  const [, text = piece, weight] = /^(.*) \(([+−]\d\.\d\d)\)$/s.exec(piece) ?? []
  return (
    <li className="flex items-baseline gap-3">
      <span dir="auto" className="min-w-0 flex-1 break-words">
        <Coded text={text} />
      </span>
      <span className="shrink-0 font-mono text-xs text-muted tabular-nums">{weight ?? ''}</span>
    </li>
  )
}

function Suspect({ suspect }: { suspect: NonNullable<Found['suspect']> }) {
  const { pullRequest, title, mergedAt, author, commit, repository, run, paths } = suspect
  return (
    <div className="rounded-md border bg-bg p-3">
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-1 text-sm">
        <Fact name="Merge">
          {pullRequest !== null && `#${pullRequest} `}
          <bdi>
            <Coded text={title} />
          </bdi>
        </Fact>
        <Fact name="Merged">
          {dateOf(mergedAt)}
          {author && ` by ${author}`}
        </Fact>
        <Fact name="Commit">
          <span className="font-mono text-xs">{commit}</span>
        </Fact>
        {repository && <Fact name="Repository">{repository}</Fact>}
        {run && (
          <Fact name="Run">
            <KeyLink to="run" of={run} />
          </Fact>
        )}
      </dl>
      {paths.length > 0 && (
        <details className="mt-2 text-sm">
          <summary className="leading-7 text-muted">
            {paths.length} changed {paths.length === 1 ? 'file' : 'files'}
          </summary>
          <ul className="mt-1 font-mono text-xs break-all">
            {paths.map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
