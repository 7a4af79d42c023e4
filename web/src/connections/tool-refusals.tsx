import type { ToolRefusal } from '@signalbox/contract/app/tool-refusals.ts'
import { Card, Section } from '../ui/page.tsx'
import { RefusalText } from '../ui/refusal-text.tsx'
import { Time } from '../ui/time.tsx'
import { scopeWords } from './state.tsx'

/** What a tool refuses a connection or a source, what helps, and how much waits for it. */
export function ToolRefusals({ of: refusals, toTry }: { of: ToolRefusal[]; toTry: string }) {
  if (refusals.length === 0) return null
  return (
    <Section
      title="Refused"
      hint={`Nothing is lost: pending updates are sent in order once it works again. ${toTry}`}
    >
      <Card>
        <ul className="divide-y">
          {refusals.map(({ scope, name, message, since, nextTryAt, waiting }) => (
            <li key={scope} className="flex flex-col gap-1 p-4 text-sm">
              <p className="text-danger">
                {scopeWords({ scope, name })}: <RefusalText text={message} />
              </p>
              <p className="text-xs text-muted">
                Since <Time at={since} />. {waiting === 0 ? 'Nothing waiting' : `${waiting} waiting`}.
                {nextTryAt && (
                  <>
                    {' '}
                    Next try <Time at={nextTryAt} />.
                  </>
                )}
              </p>
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  )
}
