import { AlarmClock, CheckCheck, SearchX } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { code } from '../api/code.ts'
import { useRead } from '../api/queries.ts'
import { NoTeam } from '../teams/no-team.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Link } from '../ui/link.ts'
import { Empty, Skeleton } from '../ui/page.tsx'
import { useChecklist } from '../workspaces/use-checklist.ts'

// Only a new workspace has one.
const Checklist = lazy(() => code(() => import('../workspaces/checklist.tsx')))

/** Why the list is empty, and what to do about it. */
export default function NothingHere({
  status,
  isFiltered,
}: {
  status: string | undefined
  isFiltered: boolean
}) {
  const teams = useRead('decisions.count', {}).data?.teams
  const checklist = useChecklist()
  if (isFiltered) {
    return (
      <Empty
        icon={SearchX}
        title="No results"
        action={
          <Link to="/$ws/inbox" search={status ? { status } : {}} className={buttonClass()}>
            Clear filters
          </Link>
        }
      />
    )
  }
  if (status === 'snoozed') {
    return (
      <Empty icon={AlarmClock} title="Nothing snoozed">
        Snoozed decisions stay here until their time is up or they change.
      </Empty>
    )
  }
  if (status) {
    return (
      <Empty icon={CheckCheck} title="No decisions yet">
        Answered decisions show up here, with who answered and what happened next.
      </Empty>
    )
  }
  if (checklist)
    return (
      <section aria-label="Get started">
        <h2 className="mb-2 text-base font-semibold">Get started</h2>
        <Suspense fallback={<Skeleton />}>
          <Checklist of={checklist} />
        </Suspense>
      </section>
    )
  if (teams?.length === 0)
    return (
      <NoTeam otherwise="An owner or admin can create the first one.">
        Coding agents work in teams. When a run needs a person, its question shows up here.
      </NoTeam>
    )
  return (
    <Empty
      icon={CheckCheck}
      title="You’re all caught up"
      action={
        <Link to="/$ws/runs" className={buttonClass()}>
          View runs
        </Link>
      }
    >
      When a run needs a person, its question shows up here.
    </Empty>
  )
}
