import type {
  EvidencePack,
  RunEvidence,
  Statement,
  SummaryStatement,
  TestResultStatement,
} from '@signalbox/contract/runner/evidence.ts'

/** What the runner has signed. The server has checked the signature; to check it again, download it. */
export const signedIn = ({ envelope }: Pick<EvidencePack, 'envelope'>): RunEvidence =>
  (payloadOf(envelope) as Statement).predicate

/** A gate's result or the summary, as tools of others read it. */
export interface SignedStatement {
  /** Null: the summary. */
  gate: string | null
  result: TestResultStatement['predicate']['result']
  detail: string
  /** As it is in the audit log. */
  sha256: string
}

/** None in evidence that was signed before there were any. */
export function statementsIn({ statements = [], audit }: Pick<EvidencePack, 'statements' | 'audit'>) {
  const hashes = audit.entry.details.statements as string[] | undefined
  return statements.map((envelope, index): SignedStatement => {
    const statement = payloadOf(envelope) as TestResultStatement | SummaryStatement
    const sha256 = hashes?.[index] ?? ''
    if ('verificationResult' in statement.predicate) {
      const { verificationResult, verifiedLevels, inputAttestations } = statement.predicate
      const levels = verifiedLevels.filter((level) => level !== 'FAILED').map(levelWords)
      return {
        gate: null,
        result: verificationResult,
        detail: [
          `From ${inputAttestations.length === 1 ? '1 statement' : `${inputAttestations.length} statements`}`,
          ...levels,
        ].join(' · '),
        sha256,
      }
    }
    const { configuration, result, passedTests, failedTests } = statement.predicate
    return { gate: configuration[0]!.name, result, detail: testsOf(passedTests, failedTests), sha256 }
  })
}

function payloadOf(envelope: string): unknown {
  const { payload } = JSON.parse(envelope) as { payload: string }
  const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}

function testsOf(passed: string[] | undefined, failed: string[] | undefined): string {
  if (!passed || !failed) return 'No test names reported'
  const of = (count: number, word: string) => (count > 0 ? [`${count} ${word}`] : [])
  return [...of(passed.length, 'passed'), ...of(failed.length, 'failed')].join(', ') || 'No tests'
}

const words: Record<string, string> = {
  SIGNALBOX_GATES: 'gates passed',
  SIGNALBOX_ACCEPTANCE_SPEC: 'acceptance spec passed',
  SIGNALBOX_ISOLATION_BOX: 'closed box',
  SIGNALBOX_ISOLATION_PROCESS: 'process isolation',
  SIGNALBOX_ISOLATION_NONE: 'no isolation',
}
const levelWords = (level: string) => words[level] ?? level
