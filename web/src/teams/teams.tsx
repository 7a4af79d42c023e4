import type { TeamRow } from '@signalbox/contract/app/teams.ts'
import { CirclePause, CircleX, Hand, LoaderCircle, Plus, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { money } from '../browser/formats.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Link } from '../ui/link.ts'
import { Listed } from '../ui/listed.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { Spent } from '../ui/spent.tsx'
import type { Column } from '../ui/table.tsx'
import { columnNames, columnRoles } from '../words/stories.ts'

const columns: Column<TeamRow>[] = [
  {
    title: 'Team',
    className: 'md:min-w-48',
    cell: (team) => <Name team={team} />,
  },
  { title: 'Status', cell: (team) => <State team={team} /> },
  {
    title: 'Running',
    right: true,
    cell: ({ running, policy }) => (policy ? `${running} of ${policy.maxConcurrency}` : running),
  },
  { title: 'Waiting', cell: (team) => (team.waiting > 0 ? <Waiting team={team} /> : null) },
  {
    title: 'Spent today',
    cell: ({ spentDayCents, policy }) => <SpentOf cents={spentDayCents} limit={policy?.budgets.dayCents} />,
  },
  {
    title: 'Spent this month',
    cell: ({ spentMonthCents, policy }) => (
      <SpentOf cents={spentMonthCents} limit={policy?.budgets.monthCents} />
    ),
  },
]

export function Teams() {
  const teams = useRead('teams.list', {})
  return (
    <Page title="Teams" aside={teams.data?.length !== 0 && <NewTeamButton />}>
      <Listed
        of={teams}
        empty={
          <Empty icon={Users} title="No teams yet" action={<NewTeamButton />}>
            A team works on the stories of one product, under a policy you choose.
          </Empty>
        }
        caption="Teams"
        columns={columns}
        keyOf={({ slug }) => slug}
      />
    </Page>
  )
}

function NewTeamButton() {
  const forbidden = useForbidden('create teams')
  const content: ReactNode = (
    <>
      <Plus size={14} aria-hidden="true" />
      New team
    </>
  )
  return !forbidden ? (
    <Link to="/$ws/teams/new" className={buttonClass('primary')}>
      {content}
    </Link>
  ) : (
    <Button look="primary" forbidden={forbidden}>
      {content}
    </Button>
  )
}

function Name({ team }: { team: TeamRow }) {
  const counts = columnRoles
    .filter((role) => team.stories[role] > 0)
    .map((role) => `${team.stories[role]} ${columnNames[role].toLowerCase()}`)
  return (
    <div className="max-md:text-left">
      <Link
        to="/$ws/teams/$team/board"
        params={{ team: team.slug }}
        className="font-medium wrap-anywhere hover:underline"
      >
        {team.name}
      </Link>{' '}
      <span className="font-mono text-xs text-muted">{team.keyPrefix}</span>
      <p className="text-xs text-muted">
        {counts.length > 0 ? counts.join(' · ') : 'No stories'}
        {team.drafts > 0 && ` · ${team.drafts} ${team.drafts === 1 ? 'draft' : 'drafts'}`}
      </p>
    </div>
  )
}

/** A team without a policy has no limit because it may not spend at all. */
const SpentOf = ({ cents, limit }: { cents: number; limit: number | null | undefined }) =>
  limit === undefined ? money(cents) : <Spent cents={cents} ofCents={limit} />

/** What keeps a team from its work comes first; there can be two such things at once. */
function State({ team }: { team: TeamRow }) {
  if (team.mainRedSince || team.pause)
    return (
      <span className="inline-flex flex-wrap gap-1 max-md:justify-end">
        {team.mainRedSince && <Badge tone="danger" icon={CircleX} word="Main branch is red" />}
        {team.pause && <Badge tone="warn" icon={CirclePause} title={team.pause.reason ?? ''} word="Paused" />}
      </span>
    )
  if (!team.policy) return <Badge word="No policy" />
  return team.running > 0 ? <Badge tone="info" icon={LoaderCircle} word="Working" /> : <Badge word="Idle" />
}

const Waiting = ({ team }: { team: TeamRow }) => (
  <Link
    to="/$ws/inbox"
    search={{ team: team.slug }}
    className="inline-flex min-h-7 items-center hover:underline"
  >
    <Badge
      tone="warn"
      icon={Hand}
      word={`${team.waiting} ${team.waiting === 1 ? 'decision' : 'decisions'}`}
    />
  </Link>
)
