import { agentPrograms } from '@signalbox/contract/agent-programs.ts'
import type { RunnerRow } from '@signalbox/contract/app/runners.ts'
import { Check, CircleDashed, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.ts'
import { complain } from '../ui/toast.tsx'
import { executors } from '../words/executors.ts'
import { agentSentence, levelNames } from './words.ts'

/** While someone waits for it. */
const everyMs = 2_000

type State = 'waiting' | 'good' | 'bad'

/** What is true of the runner that came with this token, line by line, as it becomes so. */
export function Arrival({ token }: { token: string }) {
  const runners = useRead('runners.list', {}, { every: everyMs })
  const runner = runners.data?.data.find(({ token: { prefix } }) => token.startsWith(prefix))
  // Below what was copied: someone who comes back from the terminal would have to look for it.
  const section = useRef<HTMLElement>(null)
  const hasArrived = runner !== undefined
  useEffect(() => {
    if (hasArrived) section.current?.scrollIntoView({ block: 'nearest' })
  }, [hasArrived])
  return (
    <section ref={section} aria-label="Connection" className="rounded-md border p-3">
      <ul className="flex flex-col gap-2" aria-live="polite">
        <Line state={runner?.online ? 'good' : 'waiting'}>
          {runner?.online ? (
            <>
              Connected as {runner.name} <Approve runner={runner} />
            </>
          ) : (
            'Waiting for the runner to connect'
          )}
        </Line>
        <Line {...gitOf(runner)} />
        <Line {...sandboxOf(runner)} />
        <Line {...agentsOf(runner)} />
        <Line {...repositoriesOf(runner)} />
        <OtherAgents runner={runner} />
      </ul>
    </section>
  )
}

interface LineProps {
  state: State
  children: ReactNode
}

const icons = { waiting: CircleDashed, good: Check, bad: TriangleAlert }
const tones = { waiting: 'text-muted', good: 'text-ok', bad: 'text-warn' }
const states = { waiting: 'not yet', good: 'done', bad: 'needs attention' }

function Line({ state, children }: LineProps) {
  const Icon = icons[state]
  return (
    <li className="flex items-start gap-2" data-state={state}>
      <Icon size={14} aria-hidden="true" className={`mt-0.5 shrink-0 ${tones[state]}`} />
      <span className={`min-w-0 break-words ${state === 'waiting' ? 'text-muted' : ''}`}>
        {children}
        <span className="sr-only">, {states[state]}</span>
      </span>
    </li>
  )
}

type Seen = RunnerRow | undefined

function gitOf(runner: Seen): LineProps {
  if (!runner?.git) return { state: 'waiting', children: 'Git' }
  return runner.git.version
    ? { state: 'good', children: `Git ${runner.git.version}` }
    : { state: 'bad', children: 'Git 2.38 or later wasn’t found. Install it and run the command again.' }
}

function sandboxOf(runner: Seen): LineProps {
  if (!runner) return { state: 'waiting', children: 'Sandbox' }
  const { level, isolation, os } = runner
  if (level === 'box' || level === 'gvisor')
    return {
      state: 'good',
      children: `${levelNames[level]}${isolation.backend ? ` (${isolation.backend})` : ''}`,
    }
  const remedy =
    os === 'linux'
      ? 'Install bubblewrap and run the command again, or'
      : 'There is none for this system. To use it anyway,'
  return {
    state: 'bad',
    children: `${levelNames[level]}. ${remedy} allow weaker isolation in the team’s policy.`,
  }
}

function agentsOf(runner: Seen): LineProps {
  if (!runner) return { state: 'waiting', children: 'Coding agents' }
  if (runner.executors.length > 0)
    return { state: 'good', children: runner.executors.map(agentSentence).join(', ') }
  return { state: 'bad', children: <NoAgent /> }
}

/** Which agents were looked for, and how to get one. */
export const NoAgent = () => (
  <>
    No coding agent found. The runner looked for {agentPrograms.map(({ program }) => program).join(', ')}.
    Install one, for example <code className="font-mono text-xs">{agentPrograms[0].install}</code>, and start
    the runner again.
  </>
)

function repositoriesOf(runner: Seen): LineProps {
  if (!runner) return { state: 'waiting', children: 'Repositories' }
  const unreadable = runner.repositories.filter(({ isReadable }) => isReadable === false)
  if (runner.repositories.length === 0)
    return { state: 'waiting', children: 'No repository yet. Add one in a team’s settings.' }
  if (unreadable.length > 0)
    return {
      state: 'bad',
      children: `Can’t read ${unreadable.map(({ name }) => name).join(', ')}. Name the folder it’s in above and run the command again.`,
    }
  return { state: 'good', children: `Can read ${runner.repositories.map(({ name }) => name).join(', ')}` }
}

/** Teams that would wait for another runner: their policy names an agent that this one doesn't have. */
function OtherAgents({ runner }: { runner: Seen }) {
  const teams = useRead('teams.list', {})
  if (!runner || runner.executors.length === 0) return null
  const has = (name: string) => runner.executors.some((one) => one.name === name)
  return teams.data?.map(
    ({ slug, name, policy }) =>
      policy &&
      // A script is only played where a practice runner or the demo brings it.
      policy.executor !== 'scripted' &&
      !has(policy.executor) && (
        <Line key={slug} state="bad">
          {name} uses {executors[policy.executor]}, which this runner doesn’t have.{' '}
          <Link
            to="/$ws/teams/$team/settings/policy"
            params={{ team: slug }}
            className="text-accent underline"
          >
            Choose another coding agent
          </Link>
        </Line>
      ),
  )
}

function Approve({ runner: { id, state } }: { runner: RunnerRow }) {
  const [may, approve] = [useMay('admin'), useWrite('runners.approve')]
  if (state !== 'pending') return null
  return (
    <Button
      size="small"
      forbidden={!may && 'Only owners and admins can approve runners'}
      busy={approve.isPending}
      onClick={() => approve.mutate({ id }, { onError: complain })}
    >
      Approve
    </Button>
  )
}
