import type { NewToken } from '@signalbox/contract/app/tokens.ts'
import { CircleCheck, LoaderCircle } from 'lucide-react'
import { useState } from 'react'
import { useRead } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { useAction } from '../ui/action.ts'
import { Back } from '../ui/back.tsx'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Wrong } from '../ui/refused.tsx'
import { Time } from '../ui/time.tsx'
import { type McpClient, type McpClientId, mcpClients } from './clients.ts'

const names = Object.fromEntries(Object.entries(mcpClients).map(([id, { name }]) => [id, name])) as Record<
  McpClientId,
  string
>
const placeholder = 'your-token'

/** Connects a coding agent of one's own to the MCP server: which one, what to paste, and whether it has called. */
export function Connect() {
  const [id, setId] = useState<McpClientId>('claude_code')
  /** Its value is kept here and nowhere else; another client gets another token. */
  const [made, setMade] = useState<NewToken | null>(null)
  const create = useAction('tokens.create', { next: setMade })
  const client: McpClient = mcpClients[id]
  const snippet = client.snippet({
    url: `${location.origin}/mcp`,
    token: made?.token ?? placeholder,
  })
  const choose = (value: string) => {
    setId(value as McpClientId)
    setMade(null)
  }
  const fill = () => create.send({ name: `MCP: ${client.name}`, permissions: ['read'], expires: '90d' })
  return (
    <Page title="Connect a coding agent" above={<Back to="/$ws/settings/api" />}>
      <p className="mb-5 max-w-2xl text-sm text-muted">
        The coding agent on your machine can read stories, ask you questions and work on a story itself. It
        acts as you, through the MCP server at <code className="font-mono">{location.origin}/mcp</code>.
      </p>
      <div className="flex max-w-3xl flex-col gap-6">
        <ChoiceField label="Coding agent" of={names} value={id} onChange={choose} />
        <Section title={client.where} hint={client.note}>
          <Copyable text={snippet} label="Copy snippet" />
          <p className="mt-2 text-sm text-muted">
            {made
              ? `It has your new token, which works until ${dateOf(made.expiresAt)}. You won’t see it again, so paste it before you leave this page.`
              : `Replace ${placeholder} with a token, or let us create one for you.`}
          </p>
          <Wrong>{create.error?.message}</Wrong>
          {!made && (
            <Button className="mt-3" look="primary" busy={create.isPending} onClick={fill}>
              Create token
            </Button>
          )}
        </Section>
        {made && (
          <Section title="First call">
            <FirstCall token={made} name={client.name} />
          </Section>
        )}
      </div>
    </Page>
  )
}

/** Uses of tokens are no news of the workspace, so that they are asked for while someone waits. */
function FirstCall({ token, name }: { token: NewToken; name: string }) {
  const [seen, setSeen] = useState(false)
  const tokens = useRead('tokens.list', {}, { every: seen ? false : 2_000 })
  const at = tokens.data?.data.find(({ id }) => id === token.id)?.lastUsedAt ?? null
  if (at !== null && !seen) setSeen(true)
  return (
    <p
      role="status"
      className={`flex items-center gap-2 text-sm ${at ? 'font-medium text-ok' : 'text-muted'}`}
    >
      {at ? (
        <>
          <CircleCheck size={16} aria-hidden="true" /> Connected. The first call came <Time at={at} />.
        </>
      ) : (
        <>
          <LoaderCircle size={16} aria-hidden="true" className="animate-spin motion-reduce:animate-none" />
          Waiting for the first call. Start {name} and ask it for a story.
        </>
      )}
    </p>
  )
}
