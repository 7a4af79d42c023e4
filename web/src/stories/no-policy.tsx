import { ShieldQuestion } from 'lucide-react'
import { useMay } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { Link } from '../ui/link.ts'

/** Says of a team without a policy that it takes up nothing, and where that is changed. */
export function NoPolicy({ team }: { team: string }) {
  const may = useMay('admin')
  const found = useRead('teams.read', { team }).data
  if (!found || found.policy) return null
  return (
    <div
      role="status"
      className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border bg-warn-soft px-3 py-2 text-sm"
    >
      <ShieldQuestion size={16} aria-hidden="true" className="shrink-0 text-warn" />
      <p className="min-w-0 flex-1">
        <strong className="font-semibold">No policy</strong>. The team won’t pick up stories until{' '}
        {may ? 'it has one.' : 'an owner or admin has set one.'}
      </p>
      {may && (
        <Link to="/$ws/teams/$team/settings/policy" params={{ team }} className={buttonClass('plain')}>
          Set a policy
        </Link>
      )}
    </div>
  )
}
