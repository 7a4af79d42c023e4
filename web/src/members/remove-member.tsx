import type { Member } from '@signalbox/contract/app/members.ts'
import { useMe } from '../api/me.ts'
import { useAction } from '../ui/action.ts'
import { Confirm } from '../ui/dialog.tsx'
import { goHome } from '../workspaces/go-home.ts'

/** Says what stops when someone is taken out. Their tokens are personal, so they are counted and not named. */
export function RemoveMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const me = useMe()
  const remove = useAction('members.remove', {
    alsoStale: ['services'],
    said: `${member.name} was removed`,
    next: () => member.id === me?.id && goHome(),
  })
  const count = member.activeTokens ?? 0
  return (
    <Confirm
      onClose={onClose}
      title={`Remove ${member.name}?`}
      action="Remove"
      busy={remove.isPending}
      onConfirm={() => remove.press({ id: member.id }, onClose)}
    >
      <p>
        {member.email} loses access immediately.{' '}
        {count === 0
          ? 'They have no active tokens here.'
          : count === 1
            ? 'Their active token for this workspace stops working, and any runner using it goes offline.'
            : `Their ${count} active tokens for this workspace stop working, and any runners using them go offline.`}
      </p>
      <p className="mt-2">Their activity stays in the audit log. You can invite them again later.</p>
    </Confirm>
  )
}
