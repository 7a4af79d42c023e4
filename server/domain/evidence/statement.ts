import { type Envelope, keyFromRaw, opened } from '@signalbox/contract/dsse.ts'
import { EnvelopeShape, Statement } from '@signalbox/contract/runner/evidence.ts'
import { parseJson } from '../parse-json.ts'
import { Shapes } from '../shapes.ts'

const shapes = new Shapes({ envelope: EnvelopeShape, statement: Statement })

/** What the runner with that key has signed, or why nothing was. */
export function statementIn(envelope: string, key: string): { statement: Statement } | { wrong: string } {
  const said = parsed(envelope)
  if (!shapes.fits('envelope', said)) return { wrong: 'The envelope is not one of evidence.' }
  const publicKey = keyFromRaw(key)
  if (!publicKey) return { wrong: 'The key of the runner is not a key.' }
  const bytes = opened(said as Envelope, publicKey)
  if (!bytes) return { wrong: 'The envelope is not signed with the key of the runner.' }
  const statement = parsed(bytes.toString('utf8'))
  if (!shapes.fits('statement', statement))
    return { wrong: 'What was signed is not a statement about a run.' }
  const { subject, predicate } = statement as Statement
  if (subject[0]!.digest.gitCommit !== predicate.head)
    return { wrong: 'The statement is about another commit than the one that was measured.' }
  if (predicate.runner.key !== key)
    return { wrong: 'The statement names another key than it is signed with.' }
  return { statement: statement as Statement }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}
