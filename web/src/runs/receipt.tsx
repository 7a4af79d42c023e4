import type { ChangedLine, CriterionTrace, RunPage } from '@signalbox/contract/app/runs.ts'
import type { EvidencePack } from '@signalbox/contract/runner/evidence.ts'
import { CircleCheck, CircleMinus, CircleX, Download, FileDiff, FlaskConical, ScrollText } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { addressOf } from '../api/client.ts'
import { useRead, useWorkspace } from '../api/queries.ts'
import { download } from '../browser/download.ts'
import { grouped } from '../browser/formats.ts'
import { Badge, type Look } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Link } from '../ui/link.ts'
import { Card } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { complain } from '../ui/toast.tsx'
import { resultOf, verdictOf } from './verdict.ts'

export type Pack = NonNullable<RunPage['run']['evidence']>

export const results: Record<Pack['gates'][number]['result'], Look> = {
  passed: { word: 'Passed', tone: 'ok', icon: CircleCheck },
  failed: { word: 'Failed', tone: 'danger', icon: CircleX },
  skipped: { word: 'Skipped', tone: 'neutral', icon: CircleMinus },
}

const tones = { passed: 'text-ok', failed: 'text-danger', skipped: 'text-muted' }

interface Props {
  detail: RunPage
  evidence: Pack
  /** As it was signed, once it has come. */
  pack: EvidencePack | null
}

/** The evidence at a glance: what it comes to, each criterion with the way to its proof, and how to check it offline. */
export function Receipt({ detail, evidence, pack }: Props) {
  const { run, criteria } = detail
  const trace = useRead('runs.trace', { key: run.key })
  const result = resultOf(evidence)
  const Icon = results[result].icon!
  return (
    <Card className="mb-8 grid md:grid-cols-2">
      <header className="flex min-w-0 gap-3 p-4">
        <Icon size={20} aria-label={results[result].word} className={`mt-0.5 shrink-0 ${tones[result]}`} />
        <div className="min-w-0">
          <h2 className="text-lg font-semibold">{verdictOf(evidence)}</h2>
          <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
            Collected <Time at={evidence.collectedAt} /> on commit
            <span className="inline-flex items-center">
              <code className="font-mono text-xs text-text">{evidence.commit.slice(0, 12)}</code>
              <CopyButton text={evidence.commit} label="Copy commit" />
            </span>
          </p>
        </div>
      </header>
      {detail.hasSignedEvidence && (
        <OfflineCheck
          run={run.key}
          of={evidence.repositories?.map(({ name }) => name) ?? []}
          verifier={pack?.audit.key ?? null}
        />
      )}
      {evidence.criteria.length > 0 && (
        <ol aria-label="Acceptance criteria" className="divide-y border-t md:col-span-2">
          {evidence.criteria.map((criterion) => (
            <Criterion
              key={criterion.id}
              run={run.key}
              criterion={criterion}
              text={criteria.find(({ id }) => id === criterion.id)?.text}
              trace={trace.data?.criteria.find(({ id }) => id === criterion.id)}
            />
          ))}
        </ol>
      )}
    </Card>
  )
}

interface CriterionProps {
  run: string
  criterion: Pack['criteria'][number]
  text: string | undefined
  trace: CriterionTrace | undefined
}

function Criterion({ run, criterion: { id, result, proof }, text, trace }: CriterionProps) {
  return (
    <li className="flex flex-col gap-1 px-4 py-3 text-sm">
      <div className="flex items-start justify-between gap-3">
        <p dir="auto" className="min-w-0 break-words">
          <span className="mr-1.5 text-xs text-muted">{id}</span>
          <span className="font-medium">{text && <Coded text={text} />}</span>
        </p>
        <Badge {...results[result]} />
      </div>
      <p className="font-mono text-xs wrap-anywhere text-muted">{proof}</p>
      {trace && (trace.test || trace.logLine) && (
        <ul className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs">
          {trace.test && (
            <Step icon={<FlaskConical size={13} aria-hidden="true" />} name="Test">
              <ToChange run={run} to={trace.test} />
            </Step>
          )}
          {trace.logLine !== null && (
            <Step icon={<ScrollText size={13} aria-hidden="true" />} name="Log">
              <Trail run={run} search={{ tab: 'logs', line: String(trace.logLine) }}>
                line {grouped(trace.logLine)}
              </Trail>
            </Step>
          )}
          {trace.hunks.length > 0 && (
            <Step icon={<FileDiff size={13} aria-hidden="true" />} name="Code it names">
              {trace.hunks.map((hunk) => (
                <ToChange key={hunk.path} run={run} to={hunk} />
              ))}
            </Step>
          )}
        </ul>
      )}
    </li>
  )
}

const Step = ({ icon, name, children }: { icon: ReactNode; name: string; children: ReactNode }) => (
  <li className="flex min-w-0 flex-wrap items-center gap-x-1.5 text-muted">
    {icon}
    {name}
    {children}
  </li>
)

/** Short where it is clear: a spec lies deep. */
const nameOf = ({ path, line }: ChangedLine) =>
  `${path.replace(/^(.*:)?\.kanman\/acceptance\/[^/]+\//, '')}:${line}`

const ToChange = ({ run, to }: { run: string; to: ChangedLine }) => (
  <Trail
    run={run}
    search={{ tab: 'changes', at: `${to.path}:${to.line}` }}
    title={`${to.path}, line ${to.line}`}
  >
    <code className="font-mono wrap-anywhere">{nameOf(to)}</code>
  </Trail>
)

function Trail({
  run,
  search,
  ...rest
}: { run: string; search: { tab: string; line?: string; at?: string } } & Pick<
  ComponentProps<'a'>,
  'title' | 'children'
>) {
  return (
    <Link
      to="/$ws/runs/$key"
      params={{ key: run }}
      search={search}
      className="inline-flex min-h-6 min-w-0 items-center text-accent hover:underline pointer-coarse:min-h-[44px]"
      {...rest}
    />
  )
}

interface OfflineProps {
  run: string
  /** Repositories, where each has a file of its own. */
  of: string[]
  /** The server's key, which the log is checked with. */
  verifier: string | null
}

/** The evidence as its runner signed it, and the command that checks it without this server. */
function OfflineCheck({ run, of, verifier }: OfflineProps) {
  const ws = useWorkspace()
  const command = `npm run signalbox -- verify-evidence --key '${verifier ?? 'KEY'}' evidence_${run}.json`
  return (
    <section aria-label="Check offline" className="min-w-0 p-4 max-md:order-last max-md:border-t">
      <div className="flex flex-wrap gap-2">
        {(of.length === 0 ? [undefined] : of).map((repository) => (
          <Button
            key={repository ?? ''}
            size="small"
            icon={<Download size={14} aria-hidden="true" />}
            onClick={() =>
              void download(
                addressOf(ws, 'runs.evidence', { key: run, ...(repository ? { repository } : {}) }),
              ).catch(complain)
            }
          >
            Download signed evidence{repository ? ` of ${repository}` : ''}
          </Button>
        ))}
      </div>
      <p className="mt-2 text-xs text-muted">
        Check it without this server. Compare the key with the one on the Audit page.
      </p>
      <div className="flex items-center gap-1">
        <code title={command} className="min-w-0 flex-1 truncate font-mono text-xs">
          {command}
        </code>
        <CopyButton text={command} label="Copy command" />
      </div>
    </section>
  )
}
