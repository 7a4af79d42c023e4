import type { TeamRow } from '@signalbox/contract/app/teams.ts'
import { Outlet, useParams, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useRead, useWorkspace } from '../api/queries.ts'
import { Back } from '../ui/back.tsx'
import { Badge } from '../ui/badge.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Link } from '../ui/link.ts'
import { Loaded, Page, Tabs, tabClass } from '../ui/page.tsx'
import { MainIsRed, PausedBanner } from './banners.tsx'
import { OpenReverts } from './reverts.tsx'

/** What stands around the screens of a team. */
export function TeamLayout() {
  const { team: slug } = useParams({ from: '/$ws/teams/$team' })
  const team = useRead('teams.read', { team: slug })
  const found = team.data
  // Asked again, a failed read is pending again; the screens inside must not come and go with it.
  const [missing, setMissing] = useState<string | null>(null)
  if (team.error && !found && missing !== slug) setMissing(slug)
  if (!found && missing === slug)
    return (
      <Page title={slug} above={<Back to="/$ws/teams" />}>
        <Loaded of={team}>{() => null}</Loaded>
      </Page>
    )
  return (
    <Page
      wide
      title={found?.name ?? slug}
      above={<Back to="/$ws/teams" />}
      aside={
        <>
          {found ? <Running team={found} /> : <span aria-hidden="true" className="h-6 w-28" />}
          <Link to="/$ws/intake/new" search={{ team: slug }} className={buttonClass('plain')}>
            <Plus size={14} aria-hidden="true" />
            Submit requirement
          </Link>
        </>
      }
    >
      <TeamTabs team={slug} />
      {found?.pause && <PausedBanner team={slug} pause={found.pause} />}
      {found?.mainRedSince && <MainIsRed since={found.mainRedSince} />}
      <OpenReverts team={slug} />
      <Outlet />
    </Page>
  )
}

/** Without a policy nothing starts, so there is nothing to count. */
const Running = ({ team: { policy, running } }: { team: TeamRow }) =>
  policy ? (
    <Badge tone={running > 0 ? 'info' : 'neutral'} word={`${running} of ${policy.maxConcurrency} running`} />
  ) : (
    <Badge word="No policy" />
  )

function TeamTabs({ team }: { team: string }) {
  const ws = useWorkspace()
  // The board and the list show the same stories: a filter of the one is kept by the other.
  const { q, drafts, size } = useSearch({ strict: false }) as Record<string, string>
  const search = Object.fromEntries(
    Object.entries({ q, drafts, size }).filter(([, value]) => value !== undefined),
  )
  const params = { ws, team }
  const active = { includeSearch: false }
  return (
    <Tabs label={`Team ${team}`}>
      <Link {...tabClass} activeOptions={active} to="/$ws/teams/$team/board" params={params} search={search}>
        Board
      </Link>
      <Link {...tabClass} activeOptions={active} to="/$ws/teams/$team/list" params={params} search={search}>
        List
      </Link>
      <Link {...tabClass} activeOptions={active} to="/$ws/teams/$team/settings/policy" params={params}>
        Policy
      </Link>
      <Link {...tabClass} activeOptions={active} to="/$ws/teams/$team/settings/general" params={params}>
        Settings
      </Link>
    </Tabs>
  )
}
