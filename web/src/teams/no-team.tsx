import { Users } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMay } from '../api/me.ts'
import { useWorkspace } from '../api/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { Empty, Link } from '../ui/page.tsx'

/** Where a new workspace begins. `otherwise` is said to those who cannot create a team themselves. */
export function NoTeam({ children, otherwise }: { children: ReactNode; otherwise: string }) {
  const [ws, mayCreate] = [useWorkspace(), useMay('admin')]
  return (
    <Empty
      icon={Users}
      title="No teams yet"
      action={
        mayCreate && (
          <Link to="/$ws/teams/new" params={{ ws }} className={buttonClass('primary')}>
            Create team
          </Link>
        )
      }
    >
      {children}
      {!mayCreate && ` ${otherwise}`}
    </Empty>
  )
}
