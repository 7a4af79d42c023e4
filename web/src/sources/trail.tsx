import { Link } from '@tanstack/react-router'
import { useRead, useWorkspace } from '../api/queries.ts'

/** The way back from a source to its service. */
export function Trail({ service }: { service: string }) {
  const ws = useWorkspace()
  const { data } = useRead('services.read', { service })
  return (
    <>
      <Link to="/$ws/services" params={{ ws }} className="hover:underline">
        Services
      </Link>
      <span aria-hidden="true">/</span>
      <Link
        to="/$ws/services/$service"
        params={{ ws, service }}
        search={{ tab: 'sources' }}
        className="wrap-anywhere hover:underline"
      >
        {data?.name ?? 'Service'}
      </Link>
    </>
  )
}
