import type { Member } from '@signalbox/contract/app/members.ts'
import { type Role, roles } from '@signalbox/contract/roles.ts'
import { useQueryClient } from '@tanstack/react-query'
import { MoreHorizontal, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useForbidden, useMay, useMe, useRole } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { ManagedNote, Unlock, useLocked } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { Badge } from '../ui/badge.tsx'
import { Confirm, OpenButton } from '../ui/dialog.tsx'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu.tsx'
import { Loaded, Page, Section } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { EraseMember } from './erase-member.tsx'
import { Invitations } from './invitations.tsx'
import { InviteMember } from './invite-member.tsx'
import { RemoveMember } from './remove-member.tsx'
import { roleNames } from './words.ts'

/** Who is in the workspace. */
export function Members() {
  const members = useRead('members.list', {})
  const forbidden = useForbidden('manage members')
  return (
    <Page
      title="Members"
      aside={
        <OpenButton label="Invite" look="primary" icon={<UserPlus size={14} />} forbidden={forbidden}>
          {(close) => <InviteMember onClose={close} />}
        </OpenButton>
      }
    >
      {forbidden && (
        <p className="mb-4 text-sm text-muted">
          Only owners and admins can invite members, remove them and change roles.
        </p>
      )}
      <Loaded of={members} lines={4}>
        {({ data }) => <List members={data} />}
      </Loaded>
      {/* Not to be seen before it has its place below them. */}
      {!forbidden && (
        <div className={members.data || members.error ? '' : 'invisible'}>
          <Invitations />
        </div>
      )}
    </Page>
  )
}

function List({ members }: { members: Member[] }) {
  const [may, me] = [useMay('admin'), useMe()]
  const [leaving, setLeaving] = useState<Member | null>(null)
  const [erasing, setErasing] = useState<Member | null>(null)
  const isLastOwner = (member: Member) =>
    member.role === 'owner' && members.filter(({ role }) => role === 'owner').length === 1
  const columns: Column<Member>[] = [
    {
      title: 'Name',
      cell: (member) => (
        <div className="min-w-0">
          <div className="font-medium [overflow-wrap:anywhere]">
            {member.name}
            {member.id === me?.id && <span className="font-normal text-muted"> (you)</span>}
          </div>
          <div className="text-xs break-all text-muted">{member.email}</div>
        </div>
      ),
    },
    {
      title: 'Role',
      card: 'state',
      cell: ({ id, role }) => (
        <>
          <Badge tone={role === 'member' ? 'neutral' : 'accent'} word={roleNames[role]} />
          <ManagedNote kind="members" which={{ id }} />
        </>
      ),
    },
    { title: 'Joined', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
  ]
  if (may) {
    columns.push(
      {
        title: 'Last seen',
        cell: ({ lastSeenAt }) =>
          lastSeenAt ? <Time at={lastSeenAt} /> : <span className="text-muted">Not recently</span>,
      },
      {
        title: 'Actions',
        right: true,
        card: 'menu',
        cell: (member) => (
          <Actions
            member={member}
            isLastOwner={isLastOwner(member)}
            onRemove={() => setLeaving(member)}
            onErase={() => setErasing(member)}
          />
        ),
      },
    )
  }
  return (
    <Section title={members.length === 1 ? '1 member' : `${members.length} members`}>
      <Table caption="Workspace members" columns={columns} rows={members} keyOf={({ id }) => id} />
      {leaving && <RemoveMember member={leaving} onClose={() => setLeaving(null)} />}
      {erasing && <EraseMember member={erasing} onClose={() => setErasing(null)} />}
    </Section>
  )
}

interface ActionsProps {
  member: Member
  isLastOwner: boolean
  onRemove: () => void
  onErase: () => void
}

function Actions({ member, isLastOwner, onRemove, onErase }: ActionsProps) {
  const [mine, me] = [useRole(), useMe()]
  const client = useQueryClient()
  const [asked, setAsked] = useState<Role | null>(null)
  const locked = useLocked('members', { id: member.id })
  const [isUnlocking, setIsUnlocking] = useState(false)
  const isMe = member.id === me?.id
  const change = useAction('members.changeRole', {
    said: (_, { role }) =>
      role !== member.role &&
      `${isMe ? 'You are' : `${member.name} is`} now ${roleNames[role].toLowerCase()}`,
    // The way back would have to be allowed by the role that is given up.
    ...(isMe ? {} : { undo: () => change.press({ id: member.id, role: member.role }) }),
    next: () => isMe && client.invalidateQueries({ queryKey: ['', 'me'] }),
  })
  const give = (role: Role) => change.press({ id: member.id, role }, () => setAsked(null))
  /** Mirrors what the server will say. */
  const whyNot = (role: Role | null): string | false =>
    mine !== 'owner' && (role === 'owner' || member.role === 'owner')
      ? 'Only owners can change an owner’s role'
      : isLastOwner && 'The workspace needs at least one owner'
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            aria-label={`Actions for ${member.name}`}
            className="inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
          >
            <MoreHorizontal size={16} aria-hidden="true" />
          </button>
        }
      >
        <MenuLabel>Role</MenuLabel>
        {roles.map((role) => (
          <MenuItem
            key={role}
            forbidden={member.role !== role && (whyNot(role) || locked)}
            onSelect={() => member.role !== role && (isMe ? setAsked(role) : give(role))}
          >
            {roleNames[role]}
            {member.role === role && <span className="text-muted"> (current)</span>}
          </MenuItem>
        ))}
        {locked && <MenuItem onSelect={() => setIsUnlocking(true)}>Unlock role</MenuItem>}
        <MenuLine />
        <MenuItem danger forbidden={whyNot(null)} onSelect={onRemove}>
          Remove from workspace
        </MenuItem>
        <MenuItem
          danger
          forbidden={
            mine !== 'owner'
              ? 'Only owners can erase a person'
              : isMe && 'Ask another owner or the server operator'
          }
          onSelect={onErase}
        >
          Erase personal data
        </MenuItem>
      </Menu>
      <Confirm
        open={asked !== null}
        onClose={() => setAsked(null)}
        title="Change your own role?"
        action="Change my role"
        busy={change.isPending}
        onConfirm={() => asked && give(asked)}
      >
        You’ll become {asked && roleNames[asked].toLowerCase()} right away. Only someone else can make you{' '}
        {roleNames[member.role].toLowerCase()} again.
      </Confirm>
      {isUnlocking && <Unlock kind="members" id={member.id} onClose={() => setIsUnlocking(false)} />}
    </>
  )
}
