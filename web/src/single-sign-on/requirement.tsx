import type { Member } from '@signalbox/contract/app/members.ts'
import type { SingleSignOnPage } from '@signalbox/contract/app/single-sign-on.ts'
import { useRead } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { Switch } from '../ui/field.tsx'
import { Card, Section } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

/** Whether people enter through the identity provider alone, and what still works without it. */
export function Requirement({ of: { provider, required, throughProvider } }: { of: SingleSignOnPage }) {
  const set = useAction('singleSignOn.require', { said: 'Changes saved' })
  return (
    <Section title="Sign-in" hint="Applies to the app and to terminals that people sign in to.">
      <Card className="max-w-2xl p-4">
        <Switch
          label="Require single sign-on"
          hint={
            required
              ? `People can open this workspace only after signing in with ${provider ?? 'the identity provider'}.`
              : 'While this is off, people can also use a password or a passkey.'
          }
          checked={required}
          forbidden={!required && whyNot(provider, throughProvider)}
          onChange={(next) => set.press({ required: next })}
        />
      </Card>
      <TokensByPerson />
    </Section>
  )
}

const whyNot = (provider: string | null, throughProvider: boolean): string | false =>
  provider === null
    ? 'This server has no identity provider'
    : !throughProvider && `Sign in with ${provider} first, so that you don’t lock yourself out`

/** A token is personal, so only how many there are is shown. */
function TokensByPerson() {
  const members = useRead('members.list', {})
  const holders = members.data?.data.filter(({ activeTokens }) => activeTokens) ?? []
  if (holders.length === 0) return null
  return (
    <div className="mt-5">
      <h3 className="text-sm font-medium">API tokens</h3>
      <p className="mt-1 mb-2 max-w-2xl text-sm text-muted">
        API tokens still work when single sign-on is required. A person’s tokens end when they leave the
        workspace.
      </p>
      <Table caption="Members with API tokens" columns={tokenColumns} rows={holders} keyOf={({ id }) => id} />
    </div>
  )
}

const tokenColumns: Column<Member>[] = [
  { title: 'Name', cell: ({ name }) => <span className="[overflow-wrap:anywhere]">{name}</span> },
  { title: 'Active tokens', right: true, cell: ({ activeTokens }) => activeTokens },
  {
    title: 'Last seen',
    cell: ({ lastSeenAt }) =>
      lastSeenAt ? <Time at={lastSeenAt} /> : <span className="text-muted">Not recently</span>,
  },
]
