import type { Recipe as Shown } from '@signalbox/contract/app/senders.ts'
import { useRead } from '../api/queries.ts'
import { Copyable } from '../ui/copy.tsx'
import { Loaded } from '../ui/page.tsx'
import { type Filled, fill, fillCommand } from './fill.ts'
import type { Kind } from './kinds.ts'

/** What to do in the sender, with the address in its places, and the secret while it is known. */
export function Recipe({ source, kind, filled }: { source: string; kind: Kind; filled: Filled }) {
  const recipe = useRead('sources.recipe', { source })
  return (
    <Loaded of={recipe} lines={8}>
      {(shown) => shown && <Steps recipe={shown} kind={kind} filled={filled} />}
    </Loaded>
  )
}

interface StepsProps {
  recipe: Shown
  kind: Kind
  filled: Filled
}

function Steps({ recipe: { steps, notes, command, testCommand }, kind, filled }: StepsProps) {
  return (
    <div className="flex flex-col gap-5">
      <ol className="flex list-decimal flex-col gap-3 pl-5 text-sm">
        {steps.map(({ text, code }) => (
          <li key={text} className="pl-1">
            <p className="mb-1 break-words">{text}</p>
            {code && <Copyable text={fill(code, filled)} label={`Copy for step “${shortened(text)}”`} />}
          </li>
        ))}
      </ol>
      <div>
        <h3 className="mb-1 text-sm font-medium">Authentication</h3>
        <p className="text-sm break-words text-muted">
          {kind.proof} Anything else is refused with status 401.
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
      {command && (
        <div>
          <h3 className="mb-1 text-sm font-medium">Try it from a terminal</h3>
          <p className="mb-2 text-sm text-muted">
            Authenticates like the real sender and doesn’t open an incident. A 202 response means it works.
            {filled.secret === null && ' Fill in the secret first.'}
          </p>
          <Copyable text={fillCommand(command, filled)} label="Copy command" />
        </div>
      )}
      {testCommand && (
        <div>
          <h3 className="mb-1 text-sm font-medium">Open a test incident from a terminal</h3>
          <p className="mb-2 text-sm text-muted">
            Does the same as Open test incident: the incident is marked as a test, and you can resolve it
            immediately. The command works for an hour after you opened this page; later, it doesn’t open an
            incident.
            {filled.secret === null && ' Fill in the secret first.'}
          </p>
          <Copyable text={fillCommand(testCommand, filled)} label="Copy test incident command" />
        </div>
      )}
    </div>
  )
}

const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 39)}…` : text)
