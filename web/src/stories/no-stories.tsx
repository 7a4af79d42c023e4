import { Inbox, ListX, PencilLine } from 'lucide-react'
import { useRead } from '../api/queries.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { useSetFilter } from '../ui/filters.tsx'
import { Link } from '../ui/link.ts'
import { Empty } from '../ui/page.tsx'
import { useStoryFilter } from './filters.tsx'

/** Why the board or the list is empty: a filter, drafts that are not shown, or no stories at all. */
export function NoStories({ team }: { team: string }) {
  const [filter, setFilter] = [useStoryFilter(), useSetFilter()]
  const drafts = useRead('teams.read', { team }).data?.drafts ?? 0
  if (filter.q || filter.size)
    return (
      <Empty
        icon={ListX}
        title="No results"
        action={<Button onClick={() => setFilter({ q: undefined, size: undefined })}>Clear filters</Button>}
      />
    )
  if (drafts > 0 && !filter.drafts)
    return (
      <Empty
        icon={PencilLine}
        title={drafts === 1 ? '1 draft, no stories yet' : `${drafts} drafts, no stories yet`}
        action={<Button onClick={() => setFilter({ drafts: 'yes' })}>Show drafts</Button>}
      >
        A draft becomes a story once someone approves it.
      </Empty>
    )
  return (
    <Empty
      icon={Inbox}
      title="No stories yet"
      action={
        <Link to="/$ws/intake/new" search={{ team }} className={buttonClass('primary')}>
          Submit requirement
        </Link>
      }
    >
      Stories come from approved requirements, alerts and a connected tracker, or you create them here.
    </Empty>
  )
}
