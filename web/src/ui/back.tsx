import { Link } from './link.ts'

const lists = {
  '/$ws/incidents': 'Incidents',
  '/$ws/intake': 'Requirements',
  '/$ws/runs': 'Runs',
  '/$ws/services': 'Services',
  '/$ws/settings/api': 'API tokens',
  '/$ws/settings/connections': 'Connections',
  '/$ws/settings/webhooks': 'Webhooks',
  '/$ws/teams': 'Teams',
}

/** The way back to a list, above the title of something in it. */
export const Back = ({ to }: { to: keyof typeof lists }) => (
  <Link to={to} activeOptions={{ exact: true }} className="inline-flex min-h-6 items-center hover:underline">
    {lists[to]}
  </Link>
)
