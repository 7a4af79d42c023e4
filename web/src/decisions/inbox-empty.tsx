import { Link } from '@tanstack/react-router'
import { CheckCheck, SearchX } from 'lucide-react'
import { useRead, useWorkspace } from '../api/queries.ts'
import { NoTeam } from '../teams/no-team.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/page.tsx'

/** Why the list is empty, and what to do about it. */
export function NothingHere({ status, isFiltered }: { status: string | undefined; isFiltered: boolean }) {
  const ws = useWorkspace()
  const teams = useRead('decisions.count', {}).data?.teams
  if (isFiltered) {
    return (
      <Empty
        icon={SearchX}
        title="Nothing matches these filters"
        action={
          <Link to="/$ws/inbox" params={{ ws }} search={status ? { status } : {}} className={buttonClass()}>
            Clear the filters
          </Link>
        }
      />
    )
  }
  if (status) {
    return (
      <Empty icon={CheckCheck} title="No decisions here yet">
        Answers of everybody in the workspace are kept here, with who gave them and what followed.
      </Empty>
    )
  }
  if (teams?.length === 0)
    return (
      <NoTeam otherwise="An owner or admin can create the first one.">
        Coding agents work in teams. When a run of one needs a person, its question appears here by itself.
      </NoTeam>
    )
  return (
    <Empty
      icon={CheckCheck}
      title="Nothing waits for you"
      action={
        <Link to="/$ws/runs" params={{ ws }} className={buttonClass()}>
          See what is running
        </Link>
      }
    >
      When a run needs a person, its question appears here by itself.
    </Empty>
  )
}
