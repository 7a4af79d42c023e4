import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { type IsolationFact, isolationFacts, isolationLevelOf } from '@signalbox/contract/isolation.ts'
import type { EvidencePack, RunEvidence } from '@signalbox/contract/runner/evidence.ts'
import { CircleCheck, CircleMinus, CircleX, FileCheck } from 'lucide-react'
import { useRead } from '../api/queries.ts'
import { factNames, levelNames } from '../runners/words.ts'
import { Badge, type Look } from '../ui/badge.tsx'
import { Coded } from '../ui/coded.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { Card, Empty, Section } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { executors } from '../words/executors.ts'
import { type Pack, Receipt, results } from './receipt.tsx'
import { signedCost } from './reported.ts'
import { ReportedEvidence } from './reported-evidence.tsx'
import { SecondReview } from './second-review.tsx'
import { type SignedStatement, signedIn, statementsIn } from './signed.ts'

/** The proof a run hands over: what each criterion showed, and which gates ran. */
export function Evidence({ detail }: { detail: RunPage }) {
  const { run, criteria, demonstrate } = detail
  const { evidence } = run
  const pack = useRead('runs.evidence', { key: run.key }, { enabled: detail.hasSignedEvidence })
  const signed = pack.data ? signedIn(pack.data as EvidencePack) : null
  const statements = pack.data ? statementsIn(pack.data as EvidencePack) : []
  const earlier = run.attemptList.filter(
    ({ verification }) => verification && verification.verifiedAt !== evidence?.collectedAt,
  )
  if (!evidence && earlier.length === 0 && detail.local?.evidence)
    return <ReportedEvidence local={detail.local} criteria={criteria} />
  if (!evidence && earlier.length === 0)
    return (
      <Empty icon={FileCheck} title="No evidence yet">
        Evidence is collected when the change is verified: proof for each criterion, and the result of every
        gate.
      </Empty>
    )
  return (
    <>
      {evidence && (
        <>
          <Receipt
            detail={detail}
            evidence={evidence}
            pack={(pack.data as EvidencePack | undefined) ?? null}
          />
          <Section title="Gates">
            <Gates gates={evidence.gates} signed={signed} />
          </Section>
          {evidence.secondReview && <SecondReview review={evidence.secondReview} />}
          {signed && <HowItWasMade signed={signed} />}
          {statements.length > 0 && <Statements statements={statements} />}
          {(demonstrate || evidence.demonstration) && (
            <Section title="Demonstrate">
              <Card className="p-4">
                <h3 className="mb-1 text-xs font-medium text-muted">What was run and recorded</h3>
                {evidence.demonstration ? (
                  <p className="font-mono text-xs break-words whitespace-pre-wrap">
                    {evidence.demonstration}
                  </p>
                ) : (
                  <p className="text-sm text-muted">
                    Nothing was run. Only shell commands in a code block are.
                  </p>
                )}
                {demonstrate && (
                  <div className="mt-3 border-t pt-3">
                    <h3 className="mb-1 text-xs font-medium text-muted">What the story asks for</h3>
                    <Markdown text={demonstrate} />
                  </div>
                )}
              </Card>
            </Section>
          )}
        </>
      )}
      {detail.local?.evidence && <ReportedEvidence local={detail.local} criteria={criteria} />}
      {earlier.map(({ attempt, verification }) => (
        <Section
          key={attempt}
          title={`Gates in attempt ${attempt}`}
          hint={
            <>
              Ran <Time at={verification!.verifiedAt} />
            </>
          }
        >
          <Gates gates={verification!.gates} />
        </Section>
      ))}
    </>
  )
}

function Gates({ gates, signed }: { gates: Pack['gates']; signed?: RunEvidence | null }) {
  const onBase = new Map(signed?.gates.map((gate) => [gate.name, gate.onBase]))
  return (
    <Table
      caption="Gates and results"
      rows={gates}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Gate', cell: ({ name }) => <span className="font-medium">{name}</span> },
        { title: 'Result', cell: ({ result }) => <Badge {...results[result]} /> },
        ...(signed
          ? [
              {
                title: 'Before the change',
                cell: ({ name }: Pack['gates'][number]) => {
                  const before = onBase.get(name)
                  return before ? <Badge {...results[before]} /> : <span className="text-muted">Not run</span>
                },
              },
            ]
          : []),
        {
          title: 'Output',
          cell: ({ summary }) => (
            <span dir="auto" className="break-words">
              <Coded text={summary} />
            </span>
          ),
        },
      ]}
    />
  )
}

const statementResults: Record<SignedStatement['result'], Look> = {
  PASSED: results.passed,
  WARNED: { word: 'Warned', tone: 'warn', icon: CircleMinus },
  FAILED: results.failed,
}

/** The same in the formats of in-toto and SLSA. Their hashes are in the audit log. */
const Statements = ({ statements }: { statements: SignedStatement[] }) => (
  <Section
    title="Signed statements"
    hint="For other tools: an in-toto test result for each gate and a SLSA verification summary, signed by the runner. Their hashes are in the audit log."
  >
    <Table
      caption="Signed statements"
      rows={statements}
      keyOf={({ gate }) => gate ?? ''}
      columns={[
        {
          title: 'Statement',
          cell: ({ gate }) => (
            <span className="font-medium">
              {gate === null ? 'Verification summary' : `Test result: ${gate}`}
            </span>
          ),
        },
        { title: 'Result', cell: ({ result }) => <Badge {...statementResults[result]} /> },
        { title: 'Details', cell: ({ detail }) => <span className="break-words">{detail}</span> },
        {
          title: 'SHA-256',
          cell: ({ sha256 }) => (
            <span className="inline-flex items-center">
              <code className="font-mono text-xs">{sha256.slice(0, 12)}</code>
              <CopyButton text={sha256} label="Copy hash" />
            </span>
          ),
        },
      ]}
    />
  </Section>
)

/** Which agent worked, and what kept it in, as its runner measured it. */
function HowItWasMade({ signed: { agent, isolation, base, cost } }: { signed: RunEvidence }) {
  const facts = Object.keys(isolationFacts) as IsolationFact[]
  return (
    <Section title="Isolation" hint="The runner tests each of these before it works.">
      <dl className="mb-3 flex flex-wrap gap-x-6 gap-y-3 text-sm [&_dt]:mb-0.5 [&_dt]:text-xs [&_dt]:text-muted">
        <div>
          <dt>Coding agent</dt>
          <dd>
            {executors[agent.name]} {agent.version}
            {agent.access === 'subscription' && ', signed in with a subscription'}
          </dd>
        </div>
        <div>
          <dt>Isolation</dt>
          <dd>
            {levelNames[isolationLevelOf(isolation)]}
            {isolation.backend && `, ${isolation.backend} ${isolation.version ?? ''}`}
          </dd>
        </div>
        {isolation.image && (
          <div>
            <dt>Ran in the image</dt>
            <dd>
              <code className="font-mono text-xs break-all">{isolation.image}</code>
            </dd>
          </div>
        )}
        {cost.length > 0 && (
          <div>
            <dt>Cost when it was signed</dt>
            <dd>{cost.map(signedCost).join('; ')}</dd>
          </div>
        )}
        <div>
          <dt>Started from</dt>
          <dd>
            <code className="font-mono text-xs">{base.slice(0, 12)}</code>
          </dd>
        </div>
      </dl>
      <ul className="flex flex-wrap gap-1.5">
        {facts.map((fact) => (
          <li key={fact}>
            <Badge
              tone={isolation[fact] ? 'ok' : 'warn'}
              icon={isolation[fact] ? CircleCheck : CircleX}
              word={isolation[fact] ? factNames[fact] : `Failed: ${factNames[fact]}`}
            />
          </li>
        ))}
      </ul>
    </Section>
  )
}
