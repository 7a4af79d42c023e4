import type { Member } from '@signalbox/contract/app/members.ts'
import { useMe } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { Confirm } from '../ui/dialog.tsx'
import { complain, say } from '../ui/toast.tsx'
import { goHome } from '../workspaces/go-home.ts'

/** Says what stops when somebody is taken out. Their tokens are personal, so they are counted and not named. */
export function RemoveMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const me = useMe()
  const remove = useWrite('members.remove', { alsoStale: ['services'] })
  const count = member.activeTokens ?? 0
  const confirm = () =>
    remove.mutate(
      { id: member.id },
      {
        onSuccess: () => {
          say(`${member.name} is no longer a member`)
          if (member.id === me?.id) goHome()
        },
        onError: complain,
        onSettled: onClose,
      },
    )
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove ${member.name}?`}
      action="Remove"
      busy={remove.isPending}
      onConfirm={confirm}
    >
      <p>
        {member.email} loses access at once.{' '}
        {count === 0
          ? 'No active token of theirs is affected: they have none here.'
          : count === 1
            ? 'Their one active token of this workspace stops working at once, and a runner that uses it goes offline.'
            : `Their ${count} active tokens of this workspace stop working at once, and runners that use them go offline.`}
      </p>
      <p className="mt-2">What they did stays in the audit log. They can be invited again.</p>
    </Confirm>
  )
}
