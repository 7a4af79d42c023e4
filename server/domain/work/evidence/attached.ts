import { createHash } from 'node:crypto'
import {
  type Statement,
  type SummaryStatement,
  summaryOf,
  type TestResultStatement,
  testResultOf,
} from '@signalbox/contract/runner/evidence.ts'
import { parseJson } from '../../parse-json.ts'
import { attachedIn } from './statement.ts'

/** What goes with a statement about a run, once it says the same. */
export interface Attached {
  results: TestResultStatement[]
  summary: SummaryStatement
  /** What the policy says, as the runner was given it. */
  policy: Record<string, unknown>
}

/**
 * Statements of gates and the summary prove nothing of their own: they say again, in words that others read, what the
 * statement about the run says. So each is held against it, and none may be missing.
 */
export function attachedTo(
  whole: Statement,
  envelope: string,
  envelopes: readonly string[],
  key: string,
): Attached | { wrong: string } {
  const results: TestResultStatement[] = []
  const summaries: SummaryStatement[] = []
  const inputs = [digestOf(envelope)]
  for (const text of envelopes) {
    const found = attachedIn(text, key)
    if ('wrong' in found) return found
    if ('summary' in found) summaries.push(found.summary)
    else {
      results.push(found.result)
      inputs.push(digestOf(text))
    }
  }
  const [summary] = summaries
  if (!summary || summaries.length > 1) return { wrong: 'There is not exactly one summary.' }
  const strange = [...results, summary].some(
    ({ subject }) => JSON.stringify(subject) !== JSON.stringify(whole.subject),
  )
  if (strange) return { wrong: 'A statement is about another commit than the one that was measured.' }
  const wrong = wrongResult(whole, results) ?? wrongSummary(whole, summary, inputs)
  if (wrong) return { wrong }
  const policy = policyIn(summary)
  return policy
    ? { results, summary, policy }
    : { wrong: 'The policy in the summary is not what its digest says.' }
}

function wrongResult({ predicate }: Statement, results: TestResultStatement[]): string | null {
  const told = new Map(results.map(({ predicate: said }) => [said.configuration[0]!.name, said.result]))
  if (told.size < results.length) return 'A gate has two results.'
  for (const { name, result } of predicate.gates) {
    const said = told.get(name)
    // One that was not run has nothing to be said of it.
    if (said ? said !== testResultOf(result) : result !== 'skipped')
      return `The result of gate ${name} is ${said ?? 'missing'}, and that of the run is ${testResultOf(result)}.`
    told.delete(name)
  }
  const [other] = told.keys()
  return other === undefined ? null : `There is a result of gate ${other}, which the run does not have.`
}

function wrongSummary(
  { predicate, subject }: Statement,
  { predicate: said }: SummaryStatement,
  inputs: string[],
) {
  const is = summaryOf(predicate)
  const names = (digests: string[]) => digests.toSorted().join(' ')
  if (
    said.verificationResult !== is.verificationResult ||
    said.verifiedLevels.join() !== is.verifiedLevels.join()
  )
    return `The summary says ${said.verificationResult}, and what was measured comes to ${is.verificationResult}.`
  if (said.resourceUri !== `${subject[0]!.name}@${predicate.head}`)
    return `The summary is about ${said.resourceUri}.`
  if (said.verifier.id !== `urn:uuid:${predicate.runner.id}`) return `The summary is by ${said.verifier.id}.`
  if (names(said.inputAttestations.map(({ digest }) => digest.sha256)) !== names(inputs))
    return 'The summary was concluded from other statements.'
  if (!said.policy.uri.endsWith(`/${predicate.policyVersion}`))
    return `The summary is about the policy ${said.policy.uri}.`
  return null
}

function policyIn({ predicate: { policy } }: SummaryStatement): Record<string, unknown> | null {
  const bytes = Buffer.from(policy.content, 'base64')
  if (digestOf(bytes) !== policy.digest.sha256) return null
  try {
    const said = parseJson(bytes.toString('utf8'))
    return typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : null
  } catch {
    return null
  }
}

const digestOf = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
