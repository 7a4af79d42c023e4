import type { Checklist as Shown } from '@signalbox/contract/app/workspaces.ts'
import { Check, Circle } from 'lucide-react'
import { useMay } from '../api/me.ts'
import { useWorkspace, useWrite } from '../api/queries.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Card, Link } from '../ui/page.tsx'
import { complain } from '../ui/toast.tsx'
import { PracticeOffer } from './practice-offer.tsx'

type Step = keyof Shown['done']

interface Words {
  step: Step
  title: string
  about: string
  action: string
  /** Where it is done; of the first team where there is one. */
  to: (team: string | null) => string
}

const inTeam = (team: string | null, path: string) => (team ? `teams/${team}/${path}` : 'teams/new')

const steps: Words[] = [
  {
    ...{ step: 'team', title: 'Create a team', action: 'Create team' },
    about: 'Coding agents work in teams, each with its own board and policy.',
    to: () => 'teams/new',
  },
  {
    ...{ step: 'stories', title: 'Choose a tracker', action: 'Choose' },
    about: 'Stories come from GitHub, GitLab, Jira or Linear. Or write them here.',
    to: (team) => inTeam(team, 'settings/general#tracker'),
  },
  {
    ...{ step: 'repository', title: 'Add a repository', action: 'Add repository' },
    about: 'The code that the team works on.',
    to: (team) => inTeam(team, 'settings/general#repositories'),
  },
  {
    ...{ step: 'runner', title: 'Add a runner', action: 'Add runner' },
    about: 'It runs coding agents on one of your machines. A runner without a coding agent doesn’t count.',
    to: () => 'settings/runners',
  },
  {
    ...{ step: 'story', title: 'Write the first story', action: 'Write a story' },
    about: 'Describe what you need. It’s split into stories you approve.',
    to: () => 'intake/new',
  },
  {
    ...{ step: 'run', title: 'See the first run', action: 'View board' },
    about: 'A run starts when a story is ready.',
    to: (team) => inTeam(team, 'board'),
  },
  {
    ...{ step: 'on_call', title: 'Receive alerts', action: 'Add service' },
    about: 'Alerts open incidents, which are investigated against recent merges.',
    to: () => 'services',
  },
]

/** The first steps of a workspace: what is done, and the next one in reach. */
export default function Checklist({ of }: { of: Shown }) {
  const next = steps.find(({ step }) => !of.done[step])?.step
  return (
    <>
      <p className="mb-4 text-sm text-muted">
        Signalbox runs coding agents on your stories, asks you wherever your policy says so, and shows proof
        of what it merged.
      </p>
      <PracticeOffer />
      <Card className="divide-y">
        <ol className="divide-y">
          {steps.map((words) => (
            <li key={words.step}>
              <StepRow words={words} of={of} isNext={words.step === next} />
            </li>
          ))}
        </ol>
        <PutAway isAway={of.putAway} />
      </Card>
    </>
  )
}

function StepRow({ words, of, isNext }: { words: Words; of: Shown; isNext: boolean }) {
  const ws = useWorkspace()
  const isDone = of.done[words.step]
  const [path, hash] = words.to(of.team).split('#')
  const [Icon, tone] = isDone ? [Check, 'text-ok'] : [Circle, 'text-muted']
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3">
      <div className="flex min-w-0 flex-1 basis-40 items-start gap-3">
        <Icon size={16} aria-hidden="true" className={`mt-0.5 shrink-0 ${tone}`} />
        <div className="min-w-0">
          <p className="text-sm font-medium">
            {words.title}
            <span className="sr-only">{isDone ? ', done' : ', not done yet'}</span>
          </p>
          <p className="text-xs text-muted">{words.about}</p>
        </div>
      </div>
      {!isDone && (
        <Link
          to={`/${ws}/${path}` as never}
          {...(hash ? { hash } : {})}
          className={buttonClass(isNext ? 'primary' : 'plain')}
        >
          {words.action}
        </Link>
      )}
    </div>
  )
}

function PutAway({ isAway }: { isAway: boolean }) {
  const [may, write] = [useMay('admin'), useWrite('workspaces.putChecklistAway')]
  return (
    <div className="px-4 py-3">
      <Button
        size="small"
        look="quiet"
        busy={write.isPending}
        forbidden={!may && 'Only owners and admins can hide the checklist'}
        onClick={() => write.mutate({ putAway: !isAway }, { onError: complain })}
      >
        {isAway ? 'Show this to everyone again' : 'Hide for everyone'}
      </Button>
    </div>
  )
}
