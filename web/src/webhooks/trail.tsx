import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../api/queries.ts'

/** The way back to all endpoints. */
export function Trail() {
  const ws = useWorkspace()
  return (
    <Link to="/$ws/settings/webhooks" params={{ ws }} className="hover:underline">
      Webhooks
    </Link>
  )
}
