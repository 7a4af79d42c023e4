import type { Obstacle } from '@signalbox/contract/app/stories.ts'
import { Hand } from 'lucide-react'
import type { ReactNode } from 'react'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { RefusalText } from '../ui/refusal-text.tsx'

interface Held {
  key: string
  team: string
  heldBy: readonly Obstacle[]
  run: { key: string } | null
}

const link = 'text-accent underline'

/** What keeps a Ready story from being started, each with what helps. */
export function HeldBy({ story }: { story: Held }) {
  if (story.heldBy.length === 0) return null
  return (
    <ul aria-label="Why it isn’t picked up" className="flex min-w-0 flex-col gap-1">
      {story.heldBy.map(({ by, reason }) => (
        <li key={by} className="flex items-start gap-1.5 text-xs">
          <Hand size={12} aria-hidden="true" className="mt-0.5 shrink-0 text-warn" />
          <span className="min-w-0 break-words">
            <RefusalText text={reason} /> <Remedy by={by} story={story} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function Remedy({ by, story: { key, team, run } }: { by: Obstacle['by']; story: Held }): ReactNode {
  switch (by) {
    case 'policy':
      return <ToPolicy team={team}>Set a policy</ToPolicy>
    case 'budget':
    case 'money':
      return <ToPolicy team={team}>Change the budgets</ToPolicy>
    case 'slots':
      return <ToPolicy team={team}>Allow more runs at a time</ToPolicy>
    case 'pause':
      return (
        <Link to="/$ws/teams/$team/settings/general" params={{ team }} className={link}>
          Resume the team
        </Link>
      )
    case 'repository':
      return (
        <Link to="/$ws/teams/$team/settings/general" params={{ team }} className={link}>
          Add a repository
        </Link>
      )
    case 'agent':
      return <ToPolicy team={team}>Choose another coding agent</ToPolicy>
    case 'runner':
    case 'runner_slots':
      return (
        <Link to="/$ws/settings/runners" className={link}>
          See the runners
        </Link>
      )
    case 'run':
      return run && <KeyLink to="run" of={run.key} className={link} />
    case 'draft':
      return (
        <KeyLink to="story" of={key} className={link}>
          Approve it
        </KeyLink>
      )
    case 'blocked':
      return null
    case 'readiness':
      return (
        <KeyLink to="story" of={key} className={link}>
          See what’s missing
        </KeyLink>
      )
  }
}

function ToPolicy({ team, children }: { team: string; children: string }) {
  return (
    <Link to="/$ws/teams/$team/settings/policy" params={{ team }} className={link}>
      {children}
    </Link>
  )
}
