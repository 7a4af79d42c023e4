import { homedir, hostname, totalmem } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { whyNoFolder, whyNotWritable } from '@signalbox/contract/folders.ts'
import { tokenPattern } from '@signalbox/contract/token.ts'
import { subscribable } from './agents/sign-in.ts'
import { type BoxChoice, boxChoices } from './box/choices.ts'
import type { ResourceLimits } from './box/resource-limits.ts'
import { ExitError, exitCodes } from './exit-error.ts'
import { secretsOf } from './orders/mask.ts'
import { version } from './version.ts'

export interface Config {
  readonly url: URL
  readonly token: string
  readonly version: string
  readonly name: string
  readonly slots: number
  readonly data: string
  readonly labels: string[]
  /** How long a drain waits for work to finish before it is handed back. */
  readonly drainSeconds: number
  /** Takes one order and leaves when that is done. */
  readonly ephemeral: boolean
  /** How long an ephemeral runner waits for its order. */
  readonly idleSeconds: number
  /** What the operator says of agents, as `codex=acp` or `scripted=FILE`. */
  readonly agents: string[]
  /** The model of an agent, where it is not the agent's own choice. */
  readonly models: Readonly<Record<string, string>>
  /** Agents that may sign in with the operator's own subscription where there is no key for them. */
  readonly subscriptions: string[]
  /** Folders with repositories that the runner may use. */
  readonly gitFolders: string[]
  /** Hosts that set-up may reach in addition to the usual registries. */
  readonly registries: string[]
  /** Hosts that images may come from in addition to the usual ones. */
  readonly imageRegistries: string[]
  /** Folders with programs that projects need, in addition to those of the system. */
  readonly toolchains: string[]
  /** What agents and gates are kept in by. */
  readonly box: BoxChoice
  /** Whom a runner that root has started works as; null: it finds someone. */
  readonly user: string | null
  /** What repositories and worktrees may take on the disk. */
  readonly quotaBytes: number
  /** What one order may take of the machine while it is worked on. */
  readonly resourceLimits: ResourceLimits
  /** Kept out of everything that is told. */
  readonly secrets: string[]
  /** Below 1 every interval is shorter; for tests. */
  readonly pace: number
  /** What is said is said as JSON. */
  readonly json: boolean
}

/** Every option, as `--help` shows it. */
export const options = {
  url: { type: 'string', about: 'the address of Signalbox, such as https://signalbox.example.com' },
  name: { type: 'string', about: 'the name people see (the name of the machine)' },
  slots: { type: 'string', about: 'how many work orders it works on at the same time, 1 to 64 (1)' },
  data: { type: 'string', about: 'its own folder (~/.signalbox-runner)' },
  labels: { type: 'string', about: 'labels, comma-separated' },
  agents: {
    type: 'string',
    about: 'how agents are run, comma-separated: codex=acp, gemini=off, scripted=FILE, command=PROGRAM',
  },
  models: { type: 'string', about: 'which model an agent uses, comma-separated: codex=gpt-5.5' },
  subscriptions: {
    type: 'string',
    about: `agents that may use your subscription if there is no key, comma-separated: ${subscribable.join(', ')}`,
  },
  'git-folders': { type: 'string', about: 'folders with repositories it may use, comma-separated' },
  registries: { type: 'string', about: 'hosts that set-up may reach in addition to the usual ones' },
  'image-registries': {
    type: 'string',
    about: 'hosts that images may come from in addition to the usual ones, comma-separated',
  },
  toolchains: { type: 'string', about: 'folders with programs that projects need, comma-separated' },
  box: { type: 'string', about: `the sandbox for agents: ${boxChoices.join(', ')} (auto)` },
  user: {
    type: 'string',
    about: 'the user to run as when root starts the runner (signalbox, or an unused id)',
  },
  'quota-gb': { type: 'string', about: 'disk space for repositories and worktrees (20)' },
  'memory-gb': {
    type: 'string',
    about: 'memory that one work order may use (three quarters of the machine, shared by the slots)',
  },
  processes: {
    type: 'string',
    about: 'how many processes and threads one work order may have in a box (4096)',
  },
  'drain-seconds': { type: 'string', about: 'how long a drain waits for work to finish (1800)' },
  ephemeral: { type: 'boolean', about: 'takes one order, finishes it and leaves' },
  'idle-seconds': { type: 'string', about: 'how long an ephemeral runner waits for its order (300)' },
} as const

type Given = Partial<Record<Exclude<keyof typeof options, 'ephemeral'>, string>> & {
  ephemeral?: boolean
  json?: boolean
}

/** All mistakes at once, each with its remedy. */
export function readConfig(args: string[], environment: NodeJS.ProcessEnv): Config {
  const given = parse(args)
  const faults: string[] = []
  const url = urlOf(given.url, faults)
  const config: Config = {
    url: url ?? new URL('http://127.0.0.1'),
    token: tokenOf(environment, faults),
    version,
    name: (given.name ?? hostname()).trim().slice(0, 80),
    slots: whole('slots', given.slots ?? '1', { least: 1, most: 64 }, faults),
    data: path.resolve(given.data ?? path.join(homedir(), '.signalbox-runner')),
    labels: labelsOf(given.labels, faults),
    drainSeconds: whole(
      'drain-seconds',
      given['drain-seconds'] ?? '1800',
      { least: 0, most: 604_800 },
      faults,
    ),
    ephemeral: given.ephemeral ?? false,
    idleSeconds: whole('idle-seconds', given['idle-seconds'] ?? '300', { least: 1, most: 604_800 }, faults),
    agents: words(given.agents),
    models: Object.fromEntries(words(given.models).map((word) => word.split(/=(.*)/s).slice(0, 2))),
    subscriptions: subscriptionsOf(given.subscriptions, faults),
    gitFolders: words(given['git-folders']).map((folder) => path.resolve(folder)),
    registries: words(given.registries),
    imageRegistries: words(given['image-registries']),
    toolchains: words(given.toolchains).map((folder) => path.resolve(folder)),
    box: boxOf(given.box, faults),
    user: given.user ?? null,
    quotaBytes: whole('quota-gb', given['quota-gb'] ?? '20', { least: 1, most: 100_000 }, faults) * 1e9,
    resourceLimits: resourceLimitsOf(given, faults),
    secrets: secretsOf(environment),
    pace: Number(environment.SIGNALBOX_RUNNER_PACE ?? 1),
    json: given.json ?? false,
  }
  if (config.ephemeral && config.slots > 1)
    faults.push('--ephemeral takes one order, so it has one slot. Leave --slots out, and start more runners.')
  if (!config.ephemeral && given['idle-seconds'] !== undefined)
    faults.push('--idle-seconds is for --ephemeral. Add that, or leave --idle-seconds out.')
  const why = whyNoFolder(config.data) ?? whyNotWritable(config.data)
  if (why)
    faults.push(`--data ${config.data} ${why}. Name a folder on a disk that this account can write to.`)
  if (!config.name) faults.push('--name is empty. Leave it out to use the name of the machine.')
  if (faults.length > 0) throw new ExitError(faults.join('\n'), exitCodes.usage)
  return Object.freeze(config)
}

function resourceLimitsOf(given: Given, faults: string[]): ResourceLimits {
  const slots = Math.max(1, Number(given.slots ?? 1) || 1)
  const usual = Math.max(1, Math.floor((totalmem() * 0.75) / slots / 1e9))
  const memory = whole('memory-gb', given['memory-gb'] ?? String(usual), { least: 1, most: 100_000 }, faults)
  return {
    memoryBytes: memory * 1e9,
    processes: whole('processes', given.processes ?? '4096', { least: 64, most: 1_000_000 }, faults),
    fileBytes: Number(given['quota-gb'] ?? 20) * 1e9,
  }
}

function parse(args: string[]): Given {
  try {
    return parseArgs({ args, options: { ...options, json: { type: 'boolean' } } }).values
  } catch (error) {
    throw new ExitError(
      `${(error as Error).message}\nsignalbox-runner --help lists the options.`,
      exitCodes.usage,
    )
  }
}

function urlOf(given: string | undefined, faults: string[]): URL | null {
  if (given === undefined) {
    faults.push(
      '--url is missing. Set it to the address of Signalbox, such as --url https://signalbox.example.com.',
    )
    return null
  }
  const url = URL.canParse(given) ? new URL(given) : null
  if (!url || !['http:', 'https:'].includes(url.protocol))
    faults.push(`--url ${given} is not a URL. It must begin with https://.`)
  else if (url.username || url.password)
    faults.push(
      '--url contains a user name or password. Leave them out; the token goes into SERVICE_API_KEY.',
    )
  else if (url.protocol === 'http:' && !isThisMachine(url.hostname))
    faults.push(
      `--url ${given} would send the token unencrypted. Use https://; http:// only works for this machine.`,
    )
  if (url) url.search = url.hash = ''
  return url
}

export const isThisMachine = (host: string) =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host) || host.endsWith('.localhost')

function tokenOf({ SERVICE_API_KEY: token }: NodeJS.ProcessEnv, faults: string[]): string {
  if (!token)
    faults.push(
      'SERVICE_API_KEY is not set. Create an API token in Signalbox under Settings, API tokens, and set it, or SERVICE_API_KEY_FILE to a file with it.',
    )
  else if (!tokenPattern.test(token.trim()))
    faults.push('SERVICE_API_KEY is not an API token. They begin with tk_ and have 35 characters.')
  return (token ?? '').trim()
}

function whole(
  name: string,
  given: string,
  { least, most }: { least: number; most: number },
  faults: string[],
): number {
  const value = /^\d+$/.test(given) ? Number(given) : Number.NaN
  if (!(value >= least && value <= most)) faults.push(`--${name} takes a number from ${least} to ${most}.`)
  return value
}

const words = (given: string | undefined): string[] =>
  (given ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

function subscriptionsOf(given: string | undefined, faults: string[]): string[] {
  const named = words(given)
  const unknown = named.filter((name) => !subscribable.some((each) => each === name))
  if (unknown.length > 0)
    faults.push(`--subscriptions takes ${subscribable.join(', ')}, not ${unknown.join(', ')}.`)
  return named
}

function boxOf(given: string | undefined, faults: string[]): BoxChoice {
  const choice = boxChoices.find((each) => each === (given ?? 'auto'))
  if (!choice) faults.push(`--box takes ${boxChoices.join(', ')}, not ${given}.`)
  return choice ?? 'auto'
}

function labelsOf(given: string | undefined, faults: string[]): string[] {
  const labels = words(given)
  if (labels.length > 20 || labels.some((label) => label.length > 40))
    faults.push('--labels takes up to 20 words of up to 40 letters, comma-separated.')
  return labels
}
