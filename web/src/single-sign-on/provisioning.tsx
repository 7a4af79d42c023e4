import type { MappedGroup, ScimToken, SingleSignOnPage } from '@signalbox/contract/app/single-sign-on.ts'
import { maxScimTokens } from '@signalbox/contract/limits.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { Plus } from 'lucide-react'
import { roleNames } from '../members/words.ts'
import { useAction } from '../ui/action.ts'
import { Choice } from '../ui/choice.tsx'
import { Copyable } from '../ui/copy.tsx'
import { AskButton, OpenButton } from '../ui/dialog.tsx'
import { Section } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { CreateScimToken } from './create-scim-token.tsx'

/** How an identity provider adds and removes people: its tokens, and the roles its groups give. */
export const Provisioning = ({ of: { provider, scimUrl, tokens, groups } }: { of: SingleSignOnPage }) => (
  <>
    <Section
      title="Provisioning"
      hint="Your identity provider adds and removes people and changes their roles over SCIM 2.0."
      aside={
        <OpenButton label="Create token" icon={<Plus size={14} />} forbidden={whyNoToken(provider, tokens)}>
          {(close) => <CreateScimToken onClose={close} />}
        </OpenButton>
      }
    >
      <div className="mb-4 max-w-2xl">
        <p className="mb-1 text-sm font-medium">Base URL</p>
        <Copyable text={scimUrl} label="Copy base URL" />
      </div>
      {tokens.length > 0 ? (
        <Tokens tokens={tokens} />
      ) : (
        <p className="text-sm text-muted">No tokens yet. Your identity provider needs one.</p>
      )}
    </Section>
    <Section
      title="Groups"
      hint="People get the highest role that their groups give. For everyone else, you choose the role under Members."
    >
      {groups.length > 0 ? (
        <Groups groups={groups} />
      ) : (
        <p className="text-sm text-muted">
          No groups yet. They’re listed here once your identity provider pushes them.
        </p>
      )}
    </Section>
  </>
)

const whyNoToken = (provider: string | null, tokens: ScimToken[]): string | false =>
  provider === null
    ? 'This server has no identity provider'
    : tokens.length >= maxScimTokens && `A workspace can have ${maxScimTokens} SCIM tokens`

function Tokens({ tokens }: { tokens: ScimToken[] }) {
  const revoke = useAction('singleSignOn.revokeToken', { said: 'Token revoked' })
  const columns: Column<ScimToken>[] = [
    {
      title: 'Name',
      cell: ({ name }) => <span className="font-medium [overflow-wrap:anywhere]">{name}</span>,
    },
    {
      title: 'Prefix',
      cell: ({ prefix }) => <code className="font-mono text-xs text-muted">{prefix}…</code>,
    },
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: 'Last used',
      cell: ({ lastUsedAt }) =>
        lastUsedAt ? <Time at={lastUsedAt} /> : <span className="text-muted">Never used</span>,
    },
    {
      title: 'Revoke',
      right: true,
      cell: ({ id, name }) => (
        <AskButton
          label="Revoke"
          size="small"
          aria-label={`Revoke ${name}`}
          does={revoke}
          to={{ id }}
          title={`Revoke ${name}?`}
          action="Revoke"
        >
          The identity provider can’t add or remove people with this token anymore. People who are here stay.
        </AskButton>
      ),
    },
  ]
  return <Table caption="SCIM tokens" columns={columns} rows={tokens} keyOf={({ id }) => id} />
}

function Groups({ groups }: { groups: MappedGroup[] }) {
  const map = useAction('singleSignOn.mapGroup', { said: 'Changes saved', alsoStale: ['members'] })
  const columns: Column<MappedGroup>[] = [
    {
      title: 'Group',
      cell: ({ name }) => <span className="font-medium [overflow-wrap:anywhere]">{name}</span>,
    },
    { title: 'People', right: true, cell: ({ people }) => people },
    {
      title: 'Role',
      cell: ({ id, name, role }) => (
        <Choice
          label={`Role of ${name}`}
          none="No role"
          of={roleNames}
          value={role ?? ''}
          disabled={map.isPending}
          onChange={(next) => map.press({ id, role: (next || null) as Role | null })}
        />
      ),
    },
  ]
  return <Table caption="Groups and their roles" columns={columns} rows={groups} keyOf={({ id }) => id} />
}
