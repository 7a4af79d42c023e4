import { Users } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMay } from '../api/me.ts'
import { buttonClass } from '../ui/button.tsx'
import { Link } from '../ui/link.ts'
import { Empty } from '../ui/page.tsx'

/** Where a new workspace begins. `otherwise` is said to those who cannot create a team themselves. */
export function NoTeam({ children, otherwise }: { children: ReactNode; otherwise: string }) {
  const mayCreate = useMay('admin')
  return (
    <Empty
      icon={Users}
      title="No teams yet"
      action={
        mayCreate && (
          <Link to="/$ws/teams/new" className={buttonClass('primary')}>
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
