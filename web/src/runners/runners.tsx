import type { RunnerRow } from '@signalbox/contract/app/runners.ts'
import { type IsolationFact, isolationFacts } from '@signalbox/contract/isolation.ts'
import { Check, Plus, Server, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { counted, grouped } from '../browser/formats.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { NoProgress } from '../ui/no-progress.tsx'
import { Card, Empty, Loaded, Page } from '../ui/page.tsx'
import { Time, useMinute } from '../ui/time.tsx'
import { complain, say } from '../ui/toast.tsx'
import { stages } from '../words/runs.tsx'
import { Approval } from './approval.tsx'
import { NoAgent } from './arrival.tsx'
import { ConnectRunner } from './connect.tsx'
import { RemovedRunners } from './removed.tsx'
import { RunnerTeams } from './teams.tsx'
import { agentSentence, factNames, isolationNotes, levelNames, lookOf } from './words.ts'

/** That one has fallen silent is no news of anyone's: it is looked for. */
const everyMs = 10_000

/** The machines that do the work. */
export function Runners() {
  const runners = useRead('runners.list', {}, { every: everyMs })
  const approval = useRead('runners.approval', {})
  const [connecting, setConnecting] = useState(false)
  const connect = (
    <Button look="primary" icon={<Plus size={14} />} onClick={() => setConnecting(true)}>
      Add runner
    </Button>
  )
  return (
    <Page title="Runners" aside={runners.data?.data.length === 0 ? undefined : connect}>
      <p className="mb-5 max-w-2xl text-sm text-muted">
        Runners do the work of teams that have a repository, on your own machines. Each one tests at its start
        how well it can sandbox an agent. A team’s policy sets the minimum.
      </p>
      {/* Together: what comes later would push down what is there. */}
      <Loaded of={approval.isPending ? { ...runners, data: undefined } : runners} lines={3}>
        {({ data }) => (
          <>
            <Approval />
            {data.length === 0 ? (
              <Empty icon={Server} title="No runners yet" action={connect}>
                Stories of teams with a repository wait in Ready until a runner is connected.
              </Empty>
            ) : (
              <ul className="flex flex-col gap-3">
                {data.map((runner) => (
                  <li key={runner.id}>
                    <Runner runner={runner} />
                  </li>
                ))}
              </ul>
            )}
            <RemovedRunners />
          </>
        )}
      </Loaded>
      {connecting && <ConnectRunner onClose={() => setConnecting(false)} />}
    </Page>
  )
}

function Runner({ runner }: { runner: RunnerRow }) {
  useMinute()
  const { name, version, os, arch, labels, slots, works, token, given } = runner
  return (
    <Card className="p-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="flex flex-wrap items-center gap-2 font-semibold break-words">
            {name} <Badge {...lookOf(runner)} />
            {runner.isPractice && <Badge word="Practice: scripted agent" />}
            {labels.map((label) => (
              <Badge key={label} word={label} />
            ))}
          </h2>
          <p className="mt-0.5 text-xs text-muted">
            Version {version} on {os} {arch}, last seen <Time at={runner.lastSeenAt} />, token {token.name} (
            <code className="font-mono">{token.prefix}…</code>) of {token.owner}
          </p>
        </div>
        <Actions runner={runner} />
      </div>
      {runner.state === 'pending' && (
        <p className="mt-3 text-sm">
          It’s waiting for approval and gets no work until then. Approve it only if you know that{' '}
          {token.owner} set it up on a machine you trust with your code.
        </p>
      )}
      <dl className="mt-3 grid gap-x-6 gap-y-3 text-sm md:grid-cols-3">
        <Fact name="Coding agents">
          {runner.executors.length === 0 ? <NoAgent /> : runner.executors.map(agentSentence).join(', ')}
        </Fact>
        <Fact name={levelNames[runner.level]}>
          <Isolation of={runner.isolation} />
          <p className="mt-1.5 text-xs text-muted">{isolationNotes(runner).join('. ')}.</p>
        </Fact>
        <Fact name={`Works on (${works.length} of ${slots} slots)`}>
          {works.length === 0 ? (
            <span className="text-muted">Nothing right now</span>
          ) : (
            <ul className="flex flex-col gap-1">
              {works.map(({ run, story, title, stage, progressAt }) => (
                <li key={run} className="min-w-0 break-words">
                  {story === null ? (
                    `Maintenance survey for ${title}`
                  ) : (
                    <>
                      <KeyLink to="run" of={run} className="font-mono text-xs text-accent hover:underline" />{' '}
                      <bdi>{title}</bdi>, <span className="text-muted">{stages[stage].toLowerCase()}</span>
                    </>
                  )}{' '}
                  <NoProgress since={progressAt} />
                </li>
              ))}
            </ul>
          )}
        </Fact>
        <Fact name="Works for">{teamsOf(runner)}</Fact>
        <Fact name="Given so far">
          {counted(given.orders, 'work order')}, {counted(given.reads, 'credential')} to read and{' '}
          {grouped(given.writes)} to write
        </Fact>
      </dl>
    </Card>
  )
}

const teamsOf = ({ teams, isPinned }: RunnerRow) =>
  !isPinned
    ? 'Any team'
    : teams.length === 0
      ? 'No team: the selected teams were deleted'
      : teams.map(({ name }) => name).join(', ')

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="mb-1 text-xs font-medium text-muted">{name}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </div>
)

const facts = Object.keys(isolationFacts) as IsolationFact[]

/** Each fact with whether it holds, in words too: never by a picture alone. */
function Isolation({ of }: { of: RunnerRow['isolation'] }) {
  return (
    <ul className="flex flex-col gap-0.5 text-xs">
      {facts.map((fact) => (
        <li key={fact} className={`flex items-center gap-1.5 ${of[fact] ? '' : 'text-muted'}`}>
          {of[fact] ? (
            <Check size={12} aria-hidden="true" className="shrink-0 text-ok" />
          ) : (
            <X size={12} aria-hidden="true" className="shrink-0" />
          )}
          {factNames[fact]}
          {!of[fact] && ': no'}
        </li>
      ))}
    </ul>
  )
}

function Actions({ runner }: { runner: RunnerRow }) {
  const forbidden = !useMay('admin') && 'Only owners and admins can change runners'
  const pause = useWrite('runners.pause')
  const resume = useWrite('runners.resume')
  const drain = useWrite('runners.drain')
  const approve = useWrite('runners.approve')
  const reject = useWrite('runners.reject')
  const [removing, setRemoving] = useState(false)
  const [choosing, setChoosing] = useState(false)
  const { id, name, state } = runner
  const press = (write: typeof pause, done: string) => () =>
    write.mutate({ id }, { onSuccess: () => say(done), onError: complain })
  const teams = (
    <Button size="small" forbidden={forbidden} onClick={() => setChoosing(true)}>
      Teams
    </Button>
  )
  const dialogs = (
    <>
      {removing && <Remove runner={runner} onClose={() => setRemoving(false)} />}
      {choosing && <RunnerTeams runner={runner} onClose={() => setChoosing(false)} />}
    </>
  )
  if (state === 'pending')
    return (
      <div className="flex flex-wrap gap-2">
        <Button
          size="small"
          look="primary"
          forbidden={forbidden}
          onClick={press(approve, `${name} was approved`)}
        >
          Approve
        </Button>
        <Button size="small" forbidden={forbidden} onClick={press(reject, `${name} was rejected`)}>
          Reject
        </Button>
        {teams}
        {dialogs}
      </div>
    )
  return (
    <div className="flex flex-wrap gap-2">
      {state === 'active' ? (
        <>
          <Button size="small" forbidden={forbidden} onClick={press(pause, `${name} won’t take new work`)}>
            Pause
          </Button>
          <Button
            size="small"
            forbidden={forbidden}
            onClick={press(drain, `${name} will stop after its current work`)}
          >
            Drain
          </Button>
        </>
      ) : (
        <Button size="small" forbidden={forbidden} onClick={press(resume, `${name} takes new work again`)}>
          Resume
        </Button>
      )}
      {teams}
      <Button size="small" forbidden={forbidden} onClick={() => setRemoving(true)}>
        Remove
      </Button>
      {dialogs}
    </div>
  )
}

function Remove({ runner: { id, name, works, token }, onClose }: { runner: RunnerRow; onClose: () => void }) {
  const remove = useWrite('runners.remove')
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove ${name}?`}
      action="Remove"
      busy={remove.isPending}
      onConfirm={() =>
        remove.mutate(
          { id },
          { onSuccess: () => say(`${name} was removed`), onError: complain, onSettled: onClose },
        )
      }
    >
      {works.length > 0 && 'Its current work moves to another runner. '}
      If it’s started again, it comes back to this list. To keep it out, its owner {token.owner} has to revoke
      the token {token.name}.
    </Confirm>
  )
}
