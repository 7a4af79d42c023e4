import type { RunnerRow } from '@signalbox/contract/app/runners.ts'
import type { IsolationFact, ModelAccess } from '@signalbox/contract/isolation.ts'
import { CircleCheck, CircleDashed, CirclePause, Hourglass, LogOut, TriangleAlert } from 'lucide-react'
import type { Look } from '../ui/badge.tsx'
import { executors } from '../words/executors.ts'

const looks = {
  online: { word: 'Online', tone: 'ok', icon: CircleCheck },
  pending: { word: 'Waiting for approval', tone: 'warn', icon: Hourglass },
  paused: { word: 'Paused', tone: 'warn', icon: CirclePause },
  draining: { word: 'Draining', tone: 'warn', icon: LogOut },
  idle: { word: 'No coding agent', tone: 'warn', icon: TriangleAlert },
  offline: { word: 'Offline', tone: 'neutral', icon: CircleDashed },
} satisfies Record<string, Look>

/** Without an agent it is connected and does no work: nothing to be green about. */
export function lookOf({
  online,
  state,
  executors: found,
}: Pick<RunnerRow, 'online' | 'state' | 'executors'>): Look {
  if (!online && state !== 'pending') return looks.offline
  if (state !== 'active') return looks[state]
  return found.length === 0 ? looks.idle : looks.online
}

export const agentSentence = ({ name, version, access }: RunnerRow['executors'][number]) =>
  `${executors[name]}${version ? ` ${version}` : ''}${access ? accessWords[access] : ''}`

/** What holds, in the fewest words. */
export const factNames: Record<IsolationFact, string> = {
  environmentCleared: 'Environment cleared',
  descendantsReaped: 'No process left behind',
  writesOutsideBlocked: 'Writes outside blocked',
  deniedPathsBlocked: 'Denied paths blocked',
  secretsUnreadable: 'Secrets unreadable',
  networkOnlyToGateway: 'Network closed',
}

/** How an agent reaches its model, after its name. Metered calls are what people expect. */
const accessWords: Record<ModelAccess, string> = {
  gateway: '',
  subscription: ' (subscription, not metered)',
  none: ' (no key or subscription)',
}

export const levelNames: Record<RunnerRow['level'], string> = {
  none: 'No isolation',
  process: 'Process isolation',
  box: 'Closed box',
  gvisor: 'Closed box with its own kernel',
}

const limitWords = {
  cgroup: 'Memory and processes limited by the kernel (cgroup)',
  rlimits: 'Processes limited by the kernel, memory checked twice a second',
  watched: 'Memory and processes checked twice a second',
} satisfies Record<NonNullable<RunnerRow['isolation']['limits']>, string>

/** What a runner says about how it keeps agents in, apart from the facts that a level is made of. */
export function isolationNotes({
  os,
  takesImages,
  isolation: { backend, version, kernelFiltered, limits, user },
}: Pick<RunnerRow, 'os' | 'isolation' | 'takesImages'>): string[] {
  return [
    backend ? `${backend} ${version ?? ''}`.trim() : noBoxOn(os),
    ...(kernelFiltered === undefined
      ? []
      : [kernelFiltered ? 'Kernel calls filtered' : 'Kernel calls not filtered']),
    ...(limits ? [limitWords[limits]] : []),
    takesImages ? 'Can run work in container images' : 'Can’t run work in container images',
    ...(user === 'dropped' ? ['Runner started as root; agents run as another user'] : []),
    ...(user === 'root' ? ['Agents run as root'] : []),
  ]
}

const noBoxOn = (os: string) =>
  os === 'darwin'
    ? 'No box: Signalbox has none for macOS'
    : 'No box: run signalbox-runner doctor on the machine'
