import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { CircleHelp } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'
import { Coded } from '../ui/coded.tsx'
import { Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

const said = { passed: 'Reported as passed', failed: 'Reported as failed', skipped: 'Reported as skipped' }

interface Props {
  local: NonNullable<RunPage['local']>
  criteria: RunPage['criteria']
}

/** What a person, or their coding agent, says their work shows. It looks like no proof, because it is none. */
export function ReportedEvidence({ local, criteria }: Props) {
  const { evidence, person } = local
  if (!evidence) return null
  const { criteria: results = [], commands = [], demonstration, links = [] } = evidence
  return (
    <Section
      title="Reported, not proven"
      hint={
        <>
          {person} reported this <Time at={evidence.at} />. No runner has checked it.
        </>
      }
    >
      {results.length > 0 && (
        <Table
          caption="Reported acceptance criteria"
          rows={results}
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Criterion',
              cell: ({ id }) => (
                <bdi>
                  <Coded text={criteria.find((criterion) => criterion.id === id)?.text ?? id} />
                </bdi>
              ),
            },
            { title: 'Report', cell: ({ result }) => <Badge icon={CircleHelp} word={said[result]} /> },
            { title: 'Proof', cell: ({ proof }) => <span className="break-words">{proof}</span> },
          ]}
        />
      )}
      {commands.length > 0 && (
        <Table
          caption="Reported commands"
          rows={commands.map((command, at) => ({ ...command, at }))}
          keyOf={({ at }) => String(at)}
          columns={[
            {
              title: 'Command',
              cell: ({ command }) => <code className="font-mono text-xs break-all">{command}</code>,
            },
            { title: 'Exit code', cell: ({ exitCode }) => exitCode },
            {
              title: 'Output',
              cell: ({ outputTail }) => (
                <span className="font-mono text-xs break-words whitespace-pre-wrap">{outputTail}</span>
              ),
            },
          ]}
        />
      )}
      {demonstration && <p className="mt-3 text-sm break-words whitespace-pre-wrap">{demonstration}</p>}
      {links.length > 0 && (
        <ul className="mt-3 text-sm">
          {links.map(({ label, url }) => (
            <li key={`${label} ${url}`}>
              <a href={url} target="_blank" rel="noopener noreferrer" className="text-accent underline">
                {label}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
