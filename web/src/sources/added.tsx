import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { buttonClass } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Link } from '../ui/link.ts'
import { Card, Section } from '../ui/page.tsx'
import type { Kind } from './kinds.ts'
import { Recipe } from './recipe.tsx'
import { PasteSecret } from './secret.tsx'
import { TestButton } from './test-button.tsx'

export interface MadeSource {
  id: string
  kind: Kind
  url: string | null
  /** Shown now and never again. */
  secret: string | null
  /** It was the sender's, and typed in. */
  isGiven: boolean
}

/** The address and the secret, while it can be seen, and what to do with them. */
export function Added({ made, service }: { made: MadeSource; service: string }) {
  const { id, kind, url, secret } = made
  const { name, ownSecret } = kind
  const [isPasted, setPasted] = useState(made.isGiven)
  const toSource = (
    <Link
      to="/$ws/services/$service/sources/$source"
      params={{ service, source: id }}
      className={buttonClass('primary')}
    >
      Go to source
    </Link>
  )
  if (url === null)
    return (
      <Section
        title="The check is running"
        hint="The first result shows up on the source’s page within a minute."
      >
        {toSource}
      </Section>
    )
  return (
    <div className="max-w-3xl">
      <Section title="Address" hint="Not a secret. You can always find it on the source’s page.">
        <Copyable text={url} label="Copy address" />
      </Section>
      {!ownSecret && secret && (
        <Section title="Secret">
          <Card className="flex flex-col gap-2 border-warn! bg-warn-soft p-4">
            <p className="flex items-start gap-2 text-sm">
              <KeyRound size={15} aria-hidden="true" className="mt-0.5 shrink-0 text-warn" />
              Copy it now. You won’t see it again. If you lose it, rotate it.
            </p>
            <Copyable text={secret} label="Copy secret" />
          </Card>
        </Section>
      )}
      <Section title={`Set up ${kind.inSentence}`}>
        <Recipe source={id} kind={kind} filled={{ url, secret: ownSecret ? null : secret }} />
      </Section>
      {ownSecret && (
        <Section
          title={ownSecret}
          hint={`${name} creates it. Deliveries are refused until you paste it here.`}
        >
          {isPasted ? (
            <p role="status" className="text-sm text-ok">
              Saved.
            </p>
          ) : (
            <PasteSecret source={id} label={`${ownSecret} from ${name}`} onDone={() => setPasted(true)} />
          )}
        </Section>
      )}
      <Section
        title="Test it"
        hint="A test alert takes the same path as a real one but doesn’t open an incident."
      >
        <div className="flex flex-wrap gap-2">
          <TestButton source={id} kind={kind} />
          {toSource}
        </div>
      </Section>
    </div>
  )
}
