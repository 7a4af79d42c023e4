import { isDeepStrictEqual } from 'node:util'
import type { Evidence, Gate } from '@signalbox/contract/run.ts'
import type { RunEvidence } from '@signalbox/contract/runner/evidence.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import { visible } from '@signalbox/contract/visible.ts'
import { DomainError } from '../../errors.ts'
import { attachedTo } from './attached.ts'
import { statementIn } from './statement.ts'

/** Who reports: evidence counts when the runner that has the order signed it. */
export interface Signer {
  runner: string
  /** Ed25519, base64 of the raw 32 bytes, as it was registered. */
  key: string
}

/** What the server itself knows about the work that was measured. */
export interface Known {
  story: string
  run: string
  attempt: number
  base: string | null
  policyVersion: number
  spec: string | null
  diff: string | null
  head: string | null
  gates: Gate[]
  evidence: Pick<Evidence, 'commit' | 'criteria' | 'secondReview'>
  policy: Order['policy']
}

/** Takes signed evidence only if it is about this attempt and says of it what was reported, and returns what it says. */
export function acceptEvidence(
  { envelope, statements }: { envelope: Buffer; statements: Buffer[] },
  signer: Signer | undefined,
  known: Known,
): RunEvidence {
  if (!signer) throw refused('the runner that reports it has no key to sign with.')
  const text = textOf(envelope)
  const found = statementIn(text, signer.key)
  if ('wrong' in found) throw refused(found.wrong)
  const { predicate } = found.statement
  for (const [what, says, is] of comparisons(predicate, signer, known))
    if (says !== is) throw refused(`its ${what} is ${says}, and that of the work order is ${is}.`)
  if (statements.length === 0) return predicate
  const attached = attachedTo(found.statement, text, statements.map(textOf), signer.key)
  if ('wrong' in attached) throw refused(attached.wrong)
  const other = otherSetting(attached.policy, known.policy)
  if (other) throw refused(`the policy in its summary has another ${other} than that of the work order.`)
  return predicate
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes)) throw refused('it is not text.')
  return text
}

/** One side may know settings that the other does not. */
const otherSetting = (said: Record<string, unknown>, is: Record<string, unknown>): string | undefined =>
  Object.keys(is).find((name) => Object.hasOwn(said, name) && !isDeepStrictEqual(said[name], is[name]))

type Comparison = [what: string, says: unknown, is: unknown]

const comparisons = (says: RunEvidence, signer: Signer, known: Known): Comparison[] => [
  ['runner', says.runner.id, signer.runner],
  ['story', says.story.key, known.story],
  ['run', says.run, known.run],
  ['attempt', says.attempt, known.attempt],
  ['policy version', says.policyVersion, known.policyVersion],
  // What a runner did not bring cannot be held against it.
  ['base', says.base, known.base ?? says.base],
  ['head', says.head, known.head ?? says.head],
  ['commit', says.head, known.evidence.commit],
  ['acceptance spec', says.spec?.files ?? null, known.spec],
  ['diff', says.diff.sha256, known.diff],
  ['gates', told(says.gates), told(known.gates)],
  ['criteria', told(says.criteria), told(known.evidence.criteria)],
  ['second review', reviewed(says.secondReview), reviewed(known.evidence.secondReview)],
]

/** Results in one line, with names as they were taken from the report. */
const told = (some: { name?: string; id?: string; result: string }[]) =>
  some.map(({ name, id, result }) => `${name === undefined ? id : visible(name)} ${result}`).join(', ') ||
  'none'

/** In one line, without the sentences: secrets in those are masked when they are reported. */
const reviewed = (review: Evidence['secondReview']) =>
  review
    ? [
        `${review.result} by ${review.agent ?? 'none'}`,
        ...review.findings.map(
          ({ severity, file, line }) => `${severity} ${file === null ? 'none' : visible(file)}:${line}`,
        ),
      ].join(', ')
    : 'none'

const refused = (why: string) => new DomainError('invalid_request', `The evidence was not accepted: ${why}`)
