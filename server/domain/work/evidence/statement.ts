import { type Envelope, keyFromRaw, opened } from '@signalbox/contract/dsse.ts'
import {
  EnvelopeShape,
  Statement,
  SummaryStatement,
  TestResultStatement,
} from '@signalbox/contract/runner/evidence.ts'
import { parseJson } from '../../parse-json.ts'
import { Shapes } from '../../shapes.ts'

const shapes = new Shapes({
  envelope: EnvelopeShape,
  statement: Statement,
  test_result: TestResultStatement,
  summary: SummaryStatement,
})

/** What the runner with that key has signed about the whole run, or why nothing was. */
export function statementIn(envelope: string, key: string): { statement: Statement } | { wrong: string } {
  const found = signedIn(envelope, key)
  if ('wrong' in found) return found
  if (!shapes.fits('statement', found.signed))
    return { wrong: 'What was signed is not a statement about a run.' }
  const statement = found.signed as Statement
  if (statement.subject[0]!.digest.gitCommit !== statement.predicate.head)
    return { wrong: 'The statement is about another commit than the one that was measured.' }
  if (statement.predicate.runner.key !== key)
    return { wrong: 'The statement names another key than it is signed with.' }
  return { statement }
}

/** What goes with it: a gate's result, or the summary. */
export function attachedIn(
  envelope: string,
  key: string,
): { result: TestResultStatement } | { summary: SummaryStatement } | { wrong: string } {
  const found = signedIn(envelope, key)
  if ('wrong' in found) return found
  if (shapes.fits('test_result', found.signed)) return { result: found.signed as TestResultStatement }
  if (shapes.fits('summary', found.signed)) return { summary: found.signed as SummaryStatement }
  return { wrong: 'A statement that was signed is neither the result of a gate nor a summary.' }
}

function signedIn(envelope: string, key: string): { signed: unknown } | { wrong: string } {
  const said = parsed(envelope)
  if (!shapes.fits('envelope', said)) return { wrong: 'The envelope is not one of evidence.' }
  const publicKey = keyFromRaw(key)
  if (!publicKey) return { wrong: 'The key of the runner is not a key.' }
  const bytes = opened(said as Envelope, publicKey)
  return bytes
    ? { signed: parsed(bytes.toString('utf8')) }
    : { wrong: 'The envelope is not signed with the key of the runner.' }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}
