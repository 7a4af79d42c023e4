import type { NewToken } from '@signalbox/contract/app/tokens.ts'
import type { TokenLifetime } from '@signalbox/contract/token.ts'
import { useState } from 'react'
import { useWrite } from '../api/queries.ts'
import { lifetimeWords } from '../tokens/words.ts'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Wrong } from '../ui/refused.tsx'
import { dateOf } from '../ui/time.tsx'

/** What to type on the machine that shall do the work, with a token that is made here. */
export function ConnectRunner({ needsApproval, onClose }: { needsApproval: boolean; onClose: () => void }) {
  /** Its value is kept here and nowhere else. */
  const [made, setMade] = useState<NewToken | null>(null)
  return (
    <Dialog open onClose={onClose} title="Connect a runner" wide>
      <div className="flex flex-col gap-4 text-sm">
        <p>
          A runner does the work on a machine of yours. It needs git and at least one coding agent, and it
          calls this server: no port has to be opened.
        </p>
        <ol className="flex list-decimal flex-col gap-4 pl-5">
          <li>{made ? <Made token={made} /> : <RunnerToken onMade={setMade} />}</li>
          <li>
            <div className="flex flex-col gap-1">
              <span>
                {made
                  ? 'Start the runner on the machine'
                  : 'Start the runner on the machine, with the token in place of tk_…'}
              </span>
              <Copyable
                text={`SERVICE_API_KEY=${made?.token ?? 'tk_…'} npx signalbox-runner --url ${location.origin}`}
                label="Copy command"
              />
            </div>
          </li>
          <li>
            {needsApproval
              ? 'It appears in this list within seconds and waits until an owner or admin approves it.'
              : 'It appears in this list within seconds, with the agents it found and what it can keep closed.'}
          </li>
        </ol>
      </div>
    </Dialog>
  )
}

/** One click: it may do the least that a token can, since a runner is given what its work orders need. */
function RunnerToken({ onMade }: { onMade: (token: NewToken) => void }) {
  const create = useWrite('tokens.create')
  const [expires, setExpires] = useState<TokenLifetime>('90d')
  const make = () =>
    create.mutate(
      { name: `Runner token ${dateOf(new Date())}`, permissions: ['read'], expires },
      { onSuccess: onMade },
    )
  return (
    <div className="flex flex-col gap-2">
      <span>Create a token for it. A runner needs no permissions beyond Read.</span>
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

const Made = ({ token }: { token: NewToken }) => (
  <span>
    <span className="font-medium">{token.name}</span> works until {dateOf(token.expiresAt)}. It’s in the
    command below. You won’t see it again, so copy the command before you close this.
  </span>
)
