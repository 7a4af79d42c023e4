import { useRead } from '../api/queries.ts'
import { Back } from '../ui/back.tsx'
import { Link } from '../ui/link.ts'

/** The way back from a source to its service. */
export function Trail({ service }: { service: string }) {
  const { data } = useRead('services.read', { service })
  return (
    <>
      <Back to="/$ws/services" />
      <span aria-hidden="true">/</span>
      <Link
        to="/$ws/services/$service"
        params={{ service }}
        search={{ tab: 'sources' }}
        className="wrap-anywhere hover:underline"
      >
        {data?.name ?? 'Service'}
      </Link>
    </>
  )
}
