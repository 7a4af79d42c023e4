import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../api/queries.ts'

/** The way back, above the title. */
export function AllTeams() {
  const ws = useWorkspace()
  return (
    <Link to="/$ws/teams" params={{ ws }} className="hover:text-text hover:underline">
      Teams
    </Link>
  )
}
