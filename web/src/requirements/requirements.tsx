import type { RequirementRow } from '@signalbox/contract/app/requirements.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, ScrollText, X } from 'lucide-react'
import { usePages, useRead, useWorkspace } from '../api/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { More } from '../ui/more.tsx'
import { Empty, Loaded, Page } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { StatusMark, statuses, titleOf } from './states.tsx'

type Status = RequirementRow['status']

const columns: Column<RequirementRow>[] = [
  { title: 'Requirement', className: 'max-md:block! md:min-w-64', cell: (row) => <Opening row={row} /> },
  { title: 'Team', cell: ({ team }) => <span className="md:whitespace-nowrap">{team}</span> },
  { title: 'Status', cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Open questions', right: true, cell: ({ openQuestions }) => numberOf(openQuestions) },
  {
    title: 'Drafts ready',
    right: true,
    cell: ({ ready, drafts }) => (drafts === 0 ? numberOf(0) : `${ready} of ${drafts}`),
  },
  { title: 'Approved', right: true, wideOnly: true, cell: ({ approved }) => numberOf(approved) },
  { title: 'In the tracker', right: true, wideOnly: true, cell: ({ written }) => numberOf(written) },
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
              title={isFiltered ? 'No requirement matches' : 'No requirements yet'}
              {...(isFiltered ? {} : { action: <SubmitLink /> })}
            >
              {isFiltered
                ? 'Choose another team or status, or clear the filters.'
                : 'Write down what is wanted in your own words. It becomes draft stories that you edit, approve and write to the tracker.'}
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
  const [ws, filter] = [useWorkspace(), useFilter()]
  const navigate = useNavigate({ from: '/$ws/intake' })
  const teams = useRead('teams.list', {})
  const set = (changed: { team?: string | undefined; status?: string | undefined }) =>
    void navigate({ replace: true, search: (before) => ({ ...before, ...changed }) as never })
  return (
    <search aria-label="Requirements" className="mb-4 flex flex-wrap gap-2">
      <Choice
        label="Team"
        className="w-44!"
        value={filter.team ?? ''}
        onChange={(team) => set({ team: team || undefined })}
        none="All teams"
        of={teams.data?.map(({ slug, name }) => [slug, name])}
      />
      <Choice
        label="Status"
        className="w-44!"
        value={filter.status ?? ''}
        onChange={(status) => set({ status: status || undefined })}
        none="Every status"
        of={Object.entries(statuses).map(([status, { word }]) => [status, word])}
      />
      {Object.keys(filter).length > 0 && (
        <Link to="/$ws/intake" params={{ ws }} search={{}} className={buttonClass('quiet')}>
          <X size={14} aria-hidden="true" />
          Clear filters
        </Link>
      )}
    </search>
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
      Submit a requirement
    </Link>
  )
}

const numberOf = (count: number) => (count === 0 ? <span className="text-muted">–</span> : count)
