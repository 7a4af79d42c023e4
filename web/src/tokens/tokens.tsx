import type { Token } from '@signalbox/contract/app/tokens.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { AlertTriangle, Ban, CalendarX, KeyRound, Plug, Plus } from 'lucide-react'
import { useRead } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { useAction } from '../ui/action.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { AskButton } from '../ui/dialog.tsx'
import { Link } from '../ui/link.ts'
import { List } from '../ui/listed.tsx'
import { Empty, Page, Section } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time, useMinute } from '../ui/time.tsx'
import { CreateToken } from './create-token.tsx'
import { permissionWords, stateOf } from './words.ts'

/** One's own API tokens of the workspace. */
export function Tokens() {
  const tokens = useRead('tokens.list', {})
  const navigate = useNavigate()
  // In the address, so that the palette can lead here.
  const creating = useSearch({ from: '/$ws/settings/api' }).create !== undefined
  const setCreating = (open: boolean) =>
    void navigate({ from: '/$ws/settings/api', search: open ? { create: 'yes' } : {}, replace: !open })
  const create = (
    <Button look="primary" icon={<Plus size={14} />} onClick={() => setCreating(true)}>
      Create token
    </Button>
  )
  return (
    <Page
      title="API tokens"
      aside={
        <>
          <Link to="/$ws/settings/api/connect" className={buttonClass('plain')}>
            <Plug size={14} aria-hidden="true" />
            Connect a coding agent
          </Link>
          {tokens.data?.data.length ? create : undefined}
        </>
      }
    >
      <p className="mb-5 max-w-2xl text-sm text-muted">
        A token acts as you in this workspace until it expires, you revoke it or you leave. Other members
        can’t see or use it. The REST API checks its permissions. The MCP server and runners accept any active
        token, whatever its permissions.{' '}
        <a className="text-accent underline" href="/v1/reference">
          API reference
        </a>
      </p>
      <List
        of={tokens}
        lines={3}
        empty={
          <Empty icon={KeyRound} title="No tokens yet" action={create}>
            Scripts, the MCP server and runners authenticate with a token. You see its value once, when you
            create it.
          </Empty>
        }
      >
        {(data) => <Lists tokens={data} />}
      </List>
      {creating && <CreateToken onClose={() => setCreating(false)} />}
    </Page>
  )
}

function Lists({ tokens }: { tokens: Token[] }) {
  useMinute()
  const revoke = useAction('tokens.revoke', {
    said: (_, { id }) => `Revoked ${tokens.find((token) => token.id === id)?.prefix}…`,
  })
  const living = tokens.filter((token) => !isOver(token))
  const over = tokens.filter(isOver)
  const actions: Column<Token> = {
    title: 'Actions',
    right: true,
    cell: ({ id, name, prefix }) => (
      <AskButton
        label="Revoke"
        size="small"
        aria-label={`Revoke ${name}`}
        does={revoke}
        to={{ id }}
        title={`Revoke ${name}?`}
        action="Revoke"
      >
        Anything that uses <code className="font-mono">{prefix}…</code> stops working immediately, and a
        runner with this token goes offline. This can’t be undone.
      </AskButton>
    ),
  }
  return (
    <>
      <Section title="Active">
        {living.length > 0 ? (
          <Table
            caption="Your active tokens"
            columns={[...columns, expiry, actions]}
            rows={living}
            keyOf={({ id }) => id}
          />
        ) : (
          <p className="text-sm text-muted">No active tokens.</p>
        )}
      </Section>
      {over.length > 0 && (
        <Section title="Expired and revoked" hint="These no longer work. They’re kept as a record.">
          <Table
            caption="Your expired and revoked tokens"
            columns={[...columns, ending]}
            rows={over}
            keyOf={({ id }) => id}
          />
        </Section>
      )}
    </>
  )
}

const isOver = (token: Token) => ['expired', 'revoked'].includes(stateOf(token))

const columns: Column<Token>[] = [
  {
    title: 'Name',
    cell: (token) => (
      <span className={`[overflow-wrap:anywhere] ${isOver(token) ? 'text-muted' : 'font-medium'}`}>
        {token.name}
      </span>
    ),
  },
  {
    title: 'Prefix',
    cell: ({ prefix }) => <code className="font-mono text-xs text-muted">{prefix}…</code>,
  },
  {
    title: 'Permissions',
    cell: ({ permissions, manages }) => (
      <span className="text-muted">
        REST: {permissions.map((one) => permissionWords[one].name).join(', ')}
        <br />
        MCP: acts as you
        {manages && (
          <>
            <br />
            Manages configuration
          </>
        )}
      </span>
    ),
  },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) =>
      lastUsedAt ? <Time at={lastUsedAt} /> : <span className="text-muted">Never used</span>,
  },
]
const expiry: Column<Token> = { title: 'Expires', cell: (token) => <Expiry token={token} /> }
const ending: Column<Token> = { title: 'Ended', cell: (token) => <Ending token={token} /> }

/** The day, because people plan for it; how long it still is, once that matters. */
function Expiry({ token }: { token: Token }) {
  return stateOf(token) === 'expires soon' ? (
    <Badge
      tone="warn"
      icon={AlertTriangle}
      title={dateOf(token.expiresAt)}
      word={<Time at={token.expiresAt} plain />}
    />
  ) : (
    <time dateTime={token.expiresAt}>{dateOf(token.expiresAt)}</time>
  )
}

/** How a token came to its end, and when. */
const Ending = ({ token: { revokedAt, expiresAt } }: { token: Token }) => (
  <span className="inline-flex flex-wrap items-center gap-x-2">
    <Badge icon={revokedAt ? Ban : CalendarX} word={revokedAt ? 'Revoked' : 'Expired'} />
    <Time at={revokedAt ?? expiresAt} />
  </span>
)
