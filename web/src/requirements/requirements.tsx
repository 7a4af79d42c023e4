import type { RequirementRow } from '@signalbox/contract/app/requirements.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, ScrollText } from 'lucide-react'
import { usePages, useRead, useWorkspace } from '../api/queries.ts'
import { TeamName } from '../teams/team-name.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Filters as FilterRow } from '../ui/filters.tsx'
import { More } from '../ui/more.tsx'
import { Empty, Loaded, Page } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { StatusMark, statuses, titleOf } from './states.tsx'

type Status = RequirementRow['status']

const columns: Column<RequirementRow>[] = [
  { title: 'Requirement', className: 'max-md:block! md:min-w-64', cell: (row) => <Opening row={row} /> },
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
      <Filters />
      <Loaded of={{ ...requirements, data: requirements.all }}>
        {(rows) =>
          rows.length > 0 ? (
            <>
              <Table caption="Requirements" columns={columns} rows={rows} keyOf={({ slug }) => slug} />
              <More of={requirements}>Load more</More>
            </>
          ) : (
            <Empty
              icon={ScrollText}
              title={isFiltered ? 'No results' : 'No requirements yet'}
              {...(isFiltered ? {} : { action: <SubmitLink /> })}
            >
              {isFiltered
                ? 'Try other filters, or clear them.'
                : 'Describe what you need in your own words. You get draft stories to edit and approve.'}
            </Empty>
          )
        }
      </Loaded>
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

function Filters() {
  const filter = useFilter()
  const navigate = useNavigate({ from: '/$ws/intake' })
  const teams = useRead('teams.list', {})
  const set = (changed: { team?: string | undefined; status?: string | undefined }) =>
    void navigate({ replace: true, search: (before) => ({ ...before, ...changed }) as never })
  return (
    <FilterRow
      of="requirements"
      isSet={Object.keys(filter).length > 0}
      onClear={() => void navigate({ replace: true, search: {} })}
    >
      <Choice
        label="Team"
        value={filter.team ?? ''}
        onChange={(team) => set({ team: team || undefined })}
        none="Any team"
        of={teams.data?.map(({ slug, name }) => [slug, name])}
      />
      <Choice
        label="Status"
        value={filter.status ?? ''}
        onChange={(status) => set({ status: status || undefined })}
        none="Any status"
        of={Object.entries(statuses).map(([status, { word }]) => [status, word])}
      />
    </FilterRow>
  )
}

function Opening({ row: { slug, opening, submittedBy } }: { row: RequirementRow }) {
  const ws = useWorkspace()
  return (
    <div className="max-md:text-left">
      <Link
        to="/$ws/intake/$slug"
        params={{ ws, slug }}
        className="font-medium break-words hover:underline [overflow-wrap:anywhere]"
      >
        {titleOf(opening)}
      </Link>
      <p className="text-xs text-muted">{submittedBy ?? 'Signalbox'}</p>
    </div>
  )
}

function SubmitLink() {
  const ws = useWorkspace()
  const { team } = useFilter()
  return (
    <Link
      to="/$ws/intake/new"
      params={{ ws }}
      search={team ? { team } : {}}
      className={buttonClass('primary')}
    >
      <Plus size={14} aria-hidden="true" />
      Submit requirement
    </Link>
  )
}

const numberOf = (count: number) => (count === 0 ? <span className="text-muted">–</span> : count)
