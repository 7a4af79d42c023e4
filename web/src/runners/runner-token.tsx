import type { NewToken } from '@signalbox/contract/app/tokens.ts'
import type { TokenLifetime } from '@signalbox/contract/token.ts'
import { useState } from 'react'
import { useWrite } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { lifetimeWords } from '../tokens/words.ts'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Wrong } from '../ui/refused.tsx'

/** One click: it may do the least that a token can, since a runner is given what its work orders need. */
export function RunnerToken({ onMade }: { onMade: (token: NewToken) => void }) {
  const create = useWrite('tokens.create')
  const [expires, setExpires] = useState<TokenLifetime>('90d')
  const make = () =>
    create.mutate(
      { name: `Runner token ${dateOf(new Date())}`, permissions: ['read'], expires },
      { onSuccess: onMade },
    )
  return (
    <div className="flex flex-col gap-2">
      <span>A runner needs no permissions beyond Read.</span>
      <div className="flex flex-wrap items-end gap-2">
        <ChoiceField
          label="Expires after"
          of={lifetimeWords}
          value={expires}
          onChange={(value) => setExpires(value as TokenLifetime)}
        />
        <Button look="primary" busy={create.isPending} onClick={make}>
          Create runner token
        </Button>
      </div>
      <Wrong>{create.error?.message}</Wrong>
    </div>
  )
}
