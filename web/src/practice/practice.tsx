import type { Practice as Project } from '@signalbox/contract/app/practice.ts'
import { Check, Circle, CircleDot } from 'lucide-react'
import { useRead, useWorkspace, useWrite } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Card, Link, Loaded, Page } from '../ui/page.tsx'
import { complain } from '../ui/toast.tsx'
import { PracticeOffer } from '../workspaces/practice-offer.tsx'
import { LiveLog } from './live-log.tsx'
import { PendingDecision } from './pending-decision.tsx'
import { RemovePractice } from './remove.tsx'
import { positionOf, stops } from './steps.ts'

/** What no event tells: that the runner has come, and how far the investigation is. */
const everyMs = 2_000

/** The practice project from its first run to its revert, each question answered where it is shown. */
export function Practice() {
  const read = useRead('practice.read', {}, { every: everyMs })
  return (
    <Page title="Practice project" aside={read.data?.project && <RemovePractice />}>
      <div className="max-w-3xl">
        <Loaded of={read} lines={6}>
          {({ project }) => (project ? <Progress project={project} /> : <PracticeOffer />)}
        </Loaded>
      </div>
    </Page>
  )
}

function Progress({ project }: { project: Project }) {
  const here = positionOf(project.step)
  return (
    <>
      <p className="mb-4 flex flex-wrap items-center gap-2 text-sm text-muted">
        <Badge word="Scripted agent" /> No language model is involved. Everything else is real: git, the
        runner, the gates, the evidence and the merge.
      </p>
      {project.trouble && (
        <Card className="mb-4 p-4 text-sm">
          <p className="font-medium">The practice runner can’t start</p>
          <p className="mt-1 text-muted">{project.trouble}</p>
        </Card>
      )}
      <ol className="flex flex-col gap-3">
        {stops.map((stop, position) => (
          <li key={stop.title} aria-current={position === here ? 'step' : undefined}>
            <Card className={`p-4 ${position === here ? '' : 'border-transparent bg-transparent py-1'}`}>
              <div className="flex items-start gap-3">
                <Mark state={position < here ? 'done' : position === here ? 'here' : 'later'} />
                <div className="min-w-0 flex-1">
                  <h2 className={`text-sm font-medium ${position > here ? 'text-muted' : ''}`}>
                    {stop.title}
                  </h2>
                  {position === here && (
                    <>
                      <p className="mt-0.5 mb-3 text-sm text-muted">{stop.about}</p>
                      <Now project={project} />
                    </>
                  )}
                </div>
              </div>
            </Card>
          </li>
        ))}
      </ol>
      {project.step === 'done' && <NowYourOwn />}
    </>
  )
}

const marks = {
  done: { icon: Check, tone: 'text-ok', word: 'Done' },
  here: { icon: CircleDot, tone: 'text-accent', word: 'Now' },
  later: { icon: Circle, tone: 'text-muted', word: 'Later' },
}

function Mark({ state }: { state: keyof typeof marks }) {
  const { icon: Icon, tone, word } = marks[state]
  return (
    <span className={`mt-0.5 shrink-0 ${tone}`}>
      <Icon size={16} aria-hidden="true" />
      <span className="sr-only">{word}: </span>
    </span>
  )
}

/** What to do or to watch at the current step. */
function Now({ project }: { project: Project }) {
  const { step, run, decision, incident, story, runner } = project
  if (step === 'alert') return <SendAlert />
  if (decision)
    return <PendingDecision key={decision.key} decisionKey={decision.key} run={run?.key ?? null} />
  if (step === 'investigating' || step === 'reverting')
    return (
      <p className="text-sm">
        {incident ? (
          <>
            {step === 'reverting' ? 'Opening the revert for ' : 'Investigating '}
            <KeyLink
              to="incident"
              of={incident.key}
              className="font-mono text-xs text-accent hover:underline"
            />
          </>
        ) : (
          'Waiting for the incident to open'
        )}
      </p>
    )
  if (step === 'ended')
    return (
      <p className="text-sm">
        The run ended early.{' '}
        <KeyLink to="run" of={run!.key} className="text-accent hover:underline">
          See why
        </KeyLink>
        , or remove the practice project and start again.
      </p>
    )
  if (!run || runner === 'starting')
    return (
      <p className="text-sm text-muted">
        Starting the runner for{' '}
        <bdi>
          <Coded text={story.title} />
        </bdi>
      </p>
    )
  return <LiveLog run={run} />
}

function SendAlert() {
  const send = useWrite('practice.alert')
  return (
    <Button look="primary" busy={send.isPending} onClick={() => send.mutate({}, { onError: complain })}>
      Send the alert
    </Button>
  )
}

const own = [
  {
    ...{ to: 'settings/connections', title: 'A tracker', action: 'Connect a tracker' },
    about: 'GitHub, GitLab, Jira or Linear. Or write stories here.',
  },
  {
    ...{ to: 'teams/new', title: 'A team and its repository', action: 'Create team' },
    about: 'The code that coding agents work on.',
  },
  {
    ...{ to: 'settings/runners', title: 'A runner', action: 'Add runner' },
    about: 'It runs coding agents on one of your machines.',
  },
]

function NowYourOwn() {
  const ws = useWorkspace()
  return (
    <section className="mt-6">
      <h2 className="mb-3 text-lg font-semibold">Now your own</h2>
      <Card className="divide-y">
        {own.map(({ to, title, about, action }) => (
          <div key={to} className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
            <div className="min-w-0">
              <p className="text-sm font-medium">{title}</p>
              <p className="text-xs text-muted">{about}</p>
            </div>
            <Link to={`/${ws}/${to}` as never} className={buttonClass()}>
              {action}
            </Link>
          </div>
        ))}
      </Card>
    </section>
  )
}
