import type { SenderKind } from '@signalbox/contract/signal.ts'
import { Copyable } from '../ui/copy.tsx'
import { curlFor, type Filled, fill } from './curl.ts'
import { kindWords } from './kinds.ts'
import { recipes } from './recipes.ts'

/** What to do in the sender, with the address in its places, and the secret while it is known. */
export function Recipe({ kind, filled }: { kind: SenderKind; filled: Filled }) {
  const { steps, notes } = recipes[kind]
  const curl = curlFor(kind, filled)
  return (
    <div className="flex flex-col gap-5">
      <ol className="flex list-decimal flex-col gap-3 pl-5 text-sm">
        {steps.map(({ text, code }) => (
          <li key={text} className="pl-1">
            <p className="mb-1 break-words">{text}</p>
            {code && (
              <Copyable text={fill(code, filled)} label={`Copy what step “${shortened(text)}” needs`} />
            )}
          </li>
        ))}
      </ol>
      <div>
        <h3 className="mb-1 text-sm font-medium">How it proves itself</h3>
        <p className="text-sm break-words text-muted">
          {kindWords[kind].proof} Anything else is refused with 401.
        </p>
      </div>
      <div>
        <h3 className="mb-1 text-sm font-medium">Good to know</h3>
        <ul className="list-disc pl-5 text-sm text-muted">
          {notes.map((note) => (
            <li key={note} className="my-0.5 break-words">
              {note}
            </li>
          ))}
        </ul>
      </div>
      {curl && (
        <div>
          <h3 className="mb-1 text-sm font-medium">Try it from a shell</h3>
          <p className="mb-2 text-sm text-muted">
            Proves itself as the sender does, and opens no incident. It works when the answer says 202.
            {filled.secret === null && ' Put the secret in first: it is not shown again.'}
          </p>
          <Copyable text={curl} label="Copy the command" />
        </div>
      )}
    </div>
  )
}

const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 39)}…` : text)
