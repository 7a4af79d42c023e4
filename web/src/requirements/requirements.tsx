import type { RequirementRow } from '@signalbox/contract/app/requirements.ts'
import { useSearch } from '@tanstack/react-router'
import { Plus, ScrollText } from 'lucide-react'
import { usePages, useRead } from '../api/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { FilterBy, Filters, useSetFilter } from '../ui/filters.tsx'
import { Link } from '../ui/link.ts'
import { Listed } from '../ui/listed.tsx'
import { Empty, Page } from '../ui/page.tsx'
import type { Column } from '../ui/table.tsx'
import { TeamName } from '../ui/team-name.tsx'
import { Time } from '../ui/time.tsx'
import { StatusMark, statuses, titleOf } from './states.tsx'

type Status = RequirementRow['status']

const columns: Column<RequirementRow>[] = [
  { title: 'Requirement', className: 'md:min-w-64', cell: (row) => <Opening row={row} /> },
  { title: 'Team', cell: ({ team }) => <TeamName of={team} /> },
  { title: 'Status', cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Open questions', right: true, cell: ({ openQuestions }) => numberOf(openQuestions) },
  {
    title: 'Drafts ready',
    right: true,
    cell: ({ ready, drafts }) => (drafts === 0 ? numberOf(0) : `${ready} of ${drafts}`),
  },
  { title: 'Approved', right: true, wideOnly: true, cell: ({ approved }) => numberOf(approved) },
  { title: 'Written', right: true, wideOnly: true, cell: ({ written }) => numberOf(written) },
  { title: 'Submitted', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

export function Requirements() {
  const filter = useFilter()
  const requirements = usePages('requirements.list', filter)
  const isFiltered = Object.keys(filter).length > 0
  return (
    <Page title="Requirements" aside={<SubmitLink />}>
      <RequirementFilters />
      <Listed
        of={requirements}
        empty={<Nothing isFiltered={isFiltered} />}
        caption="Requirements"
        columns={columns}
        keyOf={({ slug }) => slug}
      />
    </Page>
  )
}

function useFilter(): { team?: string; status?: Status } {
  const { team, status } = useSearch({ from: '/$ws/intake' })
  return {
    ...(team ? { team } : {}),
    ...(status && Object.hasOwn(statuses, status) ? { status: status as Status } : {}),
  }
}

const Nothing = ({ isFiltered }: { isFiltered: boolean }) => (
  <Empty
    icon={ScrollText}
    title={isFiltered ? 'No results' : 'No requirements yet'}
    action={!isFiltered && <SubmitLink />}
  >
    {isFiltered
      ? 'Try other filters, or clear them.'
      : 'Describe what you need in your own words. You get draft stories to edit and approve.'}
  </Empty>
)

function RequirementFilters() {
  const teams = useRead('teams.list', {})
  return (
    <Filters of="requirements" value={useFilter()} set={useSetFilter()}>
      <FilterBy name="team" of={teams.data?.map(({ slug, name }) => [slug, name])} />
      <FilterBy name="status" of={Object.entries(statuses).map(([status, { word }]) => [status, word])} />
    </Filters>
  )
}

function Opening({ row: { slug, opening, submittedBy } }: { row: RequirementRow }) {
  return (
    <div className="max-md:text-left">
      <Link
        to="/$ws/intake/$slug"
        params={{ slug }}
        className="font-medium break-words hover:underline [overflow-wrap:anywhere]"
      >
        {titleOf(opening)}
      </Link>
      <p className="text-xs text-muted">{submittedBy ?? 'Signalbox'}</p>
    </div>
  )
}

function SubmitLink() {
  const { team } = useFilter()
  return (
    <Link to="/$ws/intake/new" search={team ? { team } : {}} className={buttonClass('primary')}>
      <Plus size={14} aria-hidden="true" />
      Submit requirement
    </Link>
  )
}

const numberOf = (count: number) => (count === 0 ? null : count)
