import type { Merge } from '../../ports/history.ts'
import { oneLine } from '../../work/decisions/quote.ts'
import { type Clues, cluesIn, type ReadForClues } from './clues.ts'

/**
 * What an incident comes from, by stated rules: a pure function of what the alerts say and what was merged. The alerts'
 * words count as clues and as nothing else.
 */

export type Outcome = 'suspect_merge' | 'code' | 'not_code' | 'unknown'

/** A merge with where it was made, and by which run of ours. */
export interface KnownMerge extends Merge {
  /** An address without credentials, or a name of one of the team's; null when the run does not say. */
  repository: string | null
  run: string | null
}

export interface InvestigatedAlert extends ReadForClues {
  startedAt: Date | null
}

export interface Finding {
  outcome: Outcome
  /** From 0 to 1; 0 where nothing was found. */
  confidence: number
  evidence: string[]
  suspect: KnownMerge | null
  summary: string
}

export interface Investigated {
  alerts: readonly InvestigatedAlert[]
  merges: KnownMerge[]
  now: Date
  openedAt: Date
}

/** How sure it must be that a merge is the cause, or something outside the code, before a person is asked about it. */
const leastConfidence = 0.6
/** Merges that are older than this when the first alert fires are not looked at. */
export const windowHours = 48

const hourMs = 3_600_000
/** Clocks differ: a merge this much after the first alert may have been before it. */
const skewMs = 120_000

/** How much being recent counts, and after how many hours half as much. Never enough on its own. */
const recency = { weight: 0.35, halfLifeHours: 6 }
/** A second and a third way in which a merge fits. */
const further = { weight: 0.05, most: 2 }
/** A change of very many files overlaps with everything. */
const sweeping = { weight: -0.1, paths: 100 }
/** Another merge fits nearly as well. */
const rival = { weight: -0.1, within: 0.05 }

interface Fit {
  weight: number
  /** What of the merge fits, and to what. */
  find: (merge: KnownMerge, clues: Clues) => string | null
}

/** Ways in which a merge fits to the alerts, the strongest first. */
const fits: Fit[] = [
  {
    weight: 0.55,
    find: (merge, { frames }) =>
      changed(merge, frames, isSameFile, (path) => `changed ${path}, which the stack trace names`),
  },
  {
    weight: 0.45,
    find: (merge, { files }) =>
      changed(merge, files, isSameFile, (path) => `changed ${path}, which the alert names`),
  },
  {
    weight: 0.3,
    find: (merge, { frames, files }) =>
      changed(
        merge,
        [...frames, ...files],
        isSameName,
        (path, clue) => `changed ${path}; the alert names a file ${clue.split('/').at(-1)}`,
      ),
  },
  {
    weight: 0.3,
    find: (merge, { modules }) =>
      changed(merge, modules, isOfModule, (path, clue) => `changed ${path}, in the module ${clue}`),
  },
  {
    weight: 0.25,
    find: (merge, { components }) =>
      changed(merge, components, isOfComponent, (path, clue) => `changed ${path}, in the component ${clue}`),
  },
  {
    weight: 0.2,
    find: ({ commit }, { commits }) =>
      commits.some((name) => commit.toLowerCase().startsWith(name))
        ? `is the commit ${commit.slice(0, 12)} that the alert says is running`
        : null,
  },
  {
    weight: 0.15,
    find: (merge, { frames }) =>
      changed(merge, frames, isInSameFolder, (path) => `changed ${path}, next to a file in the stack trace`),
  },
]

/** Causes outside the code, by the words they are told in. Certain ones first. */
const causes: { name: string; weight: number; words: RegExp }[] = [
  {
    name: 'a full disk',
    weight: 0.8,
    words: /\bno space left on device\b|\bENOSPC\b|\b(?:disk|volume|filesystem|storage)[^\n]{0,40}\bfull\b/i,
  },
  {
    name: 'an expired certificate',
    weight: 0.8,
    words:
      /\bCERT_HAS_EXPIRED\b|\bcert(?:ificate)?s?\b[^\n]{0,40}\bexpire[sd]?\b|\bexpired cert(?:ificate)?\b/i,
  },
  {
    name: 'an outage at the provider',
    weight: 0.8,
    words:
      /\b(?:region|availability zone|data ?cent(?:er|re)|cloud provider)\b[^\n]{0,60}\b(?:outage|unavailable|down|impaired|degraded)\b|\b(?:regional|provider) outage\b/i,
  },
  {
    name: 'broken hardware',
    weight: 0.8,
    words: /\bhardware (?:failure|fault|error)\b|\bRAID\b[^\n]{0,20}\bdegraded\b|\bI\/O error\b/i,
  },
  {
    name: 'name resolution',
    weight: 0.7,
    words:
      /\b(?:NXDOMAIN|SERVFAIL|EAI_AGAIN|ENOTFOUND)\b|\bname resolution\b|\bDNS\b[^\n]{0,40}\b(?:fail|time|error|lookup|resol)/i,
  },
  {
    name: 'a database or cache that refuses connections',
    weight: 0.7,
    words:
      /\b(?:connection refused|ECONNREFUSED|could not connect to server|too many connections|remaining connection slots)\b[^\n]{0,80}\b(?:postgres\w{0,20}|mysql|maria\w{0,20}|redis|mongo\w{0,20}|database|db|rds|5432|3306|6379|27017)\b|\b(?:postgres\w{0,20}|mysql|maria\w{0,20}|redis|mongo\w{0,20}|database|rds)\b[^\n]{0,80}\b(?:connection refused|ECONNREFUSED|too many connections|failover|is unavailable)\b/i,
  },
  {
    name: 'an unreachable machine',
    weight: 0.7,
    words:
      /\bNode ?Not ?Ready\b|\bnode[^\n]{0,40}\bnot ready\b|\b(?:host|node|instance|machine|server) (?:is )?(?:down|unreachable|terminated)\b|\bstatus check failed\b/i,
  },
  {
    name: 'a quota',
    weight: 0.7,
    words:
      /\bquota\b[^\n]{0,40}\b(?:exceeded|reached|exhausted)\b|\b(?:exceeded|out of|insufficient)\b[^\n]{0,40}\bquota\b/i,
  },
  {
    name: 'machine memory',
    weight: 0.6,
    words:
      /\bOOM[- ]?kill(?:ed|er)?\b|\bmemory ?pressure\b|\bout of memory\b[^\n]{0,60}\b(?:node|host|kill)|\bOOM\b[^\n]{0,20}\bnode\b/i,
  },
  {
    name: 'the network',
    weight: 0.6,
    words:
      /\bnetwork is unreachable\b|\b(?:EHOSTUNREACH|ENETUNREACH)\b|\bno route to host\b|\bpacket loss\b/i,
  },
  {
    name: 'expired credentials',
    weight: 0.6,
    words:
      /\b(?:credential|password|access key|api key|licen[cs]e)s?\b[^\n]{0,20}\b(?:has |have )?expired\b/i,
  },
]

/** What a stack trace of ours says of a defect in the code, and the name of a mistake without one. */
const traced = 0.6
const mistaken = 0.45
/** A recent change of a file that the trace names, too old to be the suspect. */
const touched = 0.1

export function findingOf({ alerts, merges, now, openedAt }: Investigated): Finding {
  const clues = cluesIn(alerts)
  const first = firstAlert(alerts, openedAt)
  const before = merges.filter((merge) => isBefore(merge, first, now))
  const weighed = before
    .map((merge) => weigh(merge, clues, first))
    .toSorted((a, b) => b.score - a.score || b.merge.mergedAt.getTime() - a.merge.mergedAt.getTime())
  const best = weighed[0]
  const outside = causesIn(alerts)
  const seen = [seenIn(alerts, clues), mergesSeen(before, first)]

  if (best && best.fits.length > 0) {
    const next = weighed[1]
    const isRivalled = next !== undefined && next.fits.length > 0 && best.score - next.score < rival.within
    const confidence = bounded(best.score + (isRivalled ? rival.weight : 0))
    if (confidence >= leastConfidence && confidence >= outside.score) {
      const doubts = isRivalled
        ? [`Another merge fits almost as well: ${nameOf(next.merge)} (${signed(rival.weight)})`]
        : []
      return {
        outcome: 'suspect_merge',
        confidence,
        evidence: [...best.evidence, ...doubts, ...outside.evidence, ...seen],
        suspect: best.merge,
        summary: `${nameOf(best.merge)}, merged ${span(first, best.merge.mergedAt)} before the first alert, ${best.fits[0]}.`,
      }
    }
  }
  const nearest =
    best && best.fits.length > 0 ? [`Closest merge: ${nameOf(best.merge)}`, ...best.evidence] : []
  if (outside.score >= leastConfidence) {
    return {
      outcome: 'not_code',
      confidence: outside.score,
      evidence: [...outside.evidence, ...nearest, ...seen],
      suspect: null,
      summary: `The alerts point to ${outside.names.join(' and ')}, which is outside the code.`,
    }
  }
  if (clues.frames.length > 0 || clues.mistake) {
    const wasTouched = best?.fits.length ? touched : 0
    const confidence = bounded((clues.frames.length > 0 ? traced : mistaken) + wasTouched)
    const where = clues.frames[0]
      ? `The stack trace is in ${shown(clues.frames[0])}`
      : `It is a ${clues.mistake}`
    return {
      outcome: 'code',
      confidence,
      evidence: [
        `${where} (${signed(clues.frames.length > 0 ? traced : mistaken)})`,
        ...(wasTouched ? [`A recent merge fits a little (${signed(touched)})`] : []),
        ...nearest,
        ...outside.evidence,
        ...seen,
      ],
      suspect: null,
      summary: `${where}. No merge in the last ${windowHours} hours explains it.`,
    }
  }
  return {
    outcome: 'unknown',
    confidence: 0,
    evidence: [...nearest, ...outside.evidence, ...seen],
    suspect: null,
    summary: 'No clear cause: neither a merge nor anything outside the code stands out.',
  }
}

/** When it began: as the alerts say, unless that is long before or after they were received. */
export function firstAlert(alerts: readonly InvestigatedAlert[], openedAt: Date): Date {
  const times = alerts
    .map(({ startedAt }) => startedAt?.getTime() ?? Number.NaN)
    .filter((time) => time <= openedAt.getTime() && time > openedAt.getTime() - 24 * hourMs)
  return new Date(Math.min(openedAt.getTime(), ...times))
}

function isBefore({ mergedAt }: Merge, first: Date, now: Date): boolean {
  const time = mergedAt.getTime()
  return (
    time <= first.getTime() + skewMs &&
    time <= now.getTime() + skewMs &&
    time >= first.getTime() - windowHours * hourMs
  )
}

interface Weighed {
  merge: KnownMerge
  score: number
  fits: string[]
  evidence: string[]
}

/** “It is also the commit that …”, and “It also changed …”. */
const alsoOf = (text: string): string => `It ${text.replace(/^(?:is )?/, '$&also ')}`

function weigh(merge: KnownMerge, clues: Clues, first: Date): Weighed {
  const found = fits
    .map(({ weight, find }) => ({ weight, text: find(merge, clues) }))
    .filter((fit): fit is { weight: number; text: string } => fit.text !== null)
  const hours = hoursRunning(merge, clues, first)
  const parts = [
    ...found.slice(0, 1).map(({ weight, text }) => ({ weight, text: `It ${text}` })),
    ...found.slice(1, 1 + further.most).map(({ text }) => ({ weight: further.weight, text: alsoOf(text) })),
    {
      weight: recency.weight * 0.5 ** (hours.count / recency.halfLifeHours),
      text: `It was ${hours.since} ${duration(hours.count)} before the first alert`,
    },
    ...(merge.paths.length > sweeping.paths
      ? [{ weight: sweeping.weight, text: `It changed more than ${sweeping.paths} files` }]
      : []),
  ]
  return {
    merge,
    score: bounded(parts.reduce((sum, { weight }) => sum + weight, 0)),
    fits: found.map(({ text }) => text),
    evidence: parts.map(({ weight, text }) => `${text} (${signed(weight)})`),
  }
}

/** What counts is since when it has been running: since the deployment, where an alert reports it. */
function hoursRunning({ mergedAt }: Merge, { deployedAt }: Clues, first: Date) {
  const isDeployed = deployedAt !== null && deployedAt >= mergedAt && deployedAt <= first
  const from = isDeployed ? deployedAt : mergedAt
  return {
    count: Math.max(0, first.getTime() - from.getTime()) / hourMs,
    since: isDeployed ? 'deployed' : 'merged',
  }
}

function causesIn(alerts: readonly InvestigatedAlert[]) {
  const text = alerts
    .map(({ title, description, labels }) =>
      [title, description, labels.alertname, labels.reason].filter(Boolean).join('\n').slice(0, longestText),
    )
    .join('\n')
  const found = causes.flatMap(({ name, weight, words }) => {
    const said = words.exec(text)?.[0]
    return said === undefined ? [] : [{ name, weight, said }]
  })
  const score = found.reduce((best, { weight }) => Math.max(best, weight), 0)
  return {
    names: found.map(({ name }) => name),
    score:
      found.length === 0 ? 0 : bounded(score + further.weight * Math.min(found.length - 1, further.most)),
    evidence: found.map(({ name, weight, said }) => `“${shown(said)}” points to ${name} (${signed(weight)})`),
  }
}
const longestText = 10_000

/** The first changed path that fits one of the clues, told. */
function changed(
  { paths }: Merge,
  clues: string[],
  fit: (path: string[], clue: string[]) => boolean,
  tell: (path: string, clue: string) => string,
): string | null {
  const split = paths.map((path) => [path, segments(path)] as const)
  for (const clue of clues) {
    const parts = segments(clue)
    if (parts.length === 0) continue
    const path = split.find(([, changedParts]) => changedParts.length > 0 && fit(changedParts, parts))
    if (path) return tell(shown(path[0]), shown(clue))
  }
  return null
}

const segments = (path: string) =>
  path.split('/').filter((segment) => segment !== '' && segment !== '.' && segment !== '..')

/** Names that every project has many of: sharing one says nothing. */
const generic =
  /^(index|main|app|server|mod|init|__init__|setup|config|routes?|handlers?|models?|views?|test|src|lib|api|web|service|services|package|default|prod|production|staging)$/i

/** A file is run as it was compiled: `dist/a.js` is `src/a.ts`. */
const stem = (name: string) => name.replace(/\.[^.]*$/, '')
const isCompiled = (one: string, other: string) =>
  stem(one) === stem(other) && /\.[mc]?[jt]sx?$/.test(one) && /\.[mc]?[jt]sx?$/.test(other)
const isName = (one: string, other: string) => one === other || isCompiled(one, other)

/** How many segments two paths have in common, from the end. */
function inCommon(one: string[], other: string[]): number {
  if (!isName(one.at(-1)!, other.at(-1)!)) return 0
  let count = 1
  while (count < Math.min(one.length, other.length) && one.at(-1 - count) === other.at(-1 - count)) count += 1
  return count
}

function isSameFile(path: string[], clue: string[]): boolean {
  const count = inCommon(path, clue)
  const shorter = Math.min(path.length, clue.length)
  if (count < 2) return count === 1 && path.length === 1 && clue.length === 1
  return count === shorter || count > 2 || !generic.test(stem(path.at(-1)!))
}

const isSameName = (path: string[], clue: string[]): boolean =>
  isName(path.at(-1)!, clue.at(-1)!) && !generic.test(stem(path.at(-1)!)) && !isSameFile(path, clue)

const isInSameFolder = (path: string[], clue: string[]): boolean =>
  path.length > 2 &&
  clue.length > 2 &&
  !isName(path.at(-1)!, clue.at(-1)!) &&
  path.at(-2) === clue.at(-2) &&
  path.at(-3) === clue.at(-3)

/** `orders/rates` is `src/orders/rates.py`, and what is in `src/orders/rates/`. */
function isOfModule(path: string[], clue: string[]): boolean {
  if (clue.length === 1 && (generic.test(clue[0]!) || clue[0]!.length < 3)) return false
  const parts = [...path.slice(0, -1), stem(path.at(-1)!)]
  const last = clue.length - 1
  return parts.some((_, at) =>
    clue.every((part, index) => (index === last ? stem(part) : part) === parts[at + index]),
  )
}

const word = (text: string) => text.toLowerCase().replaceAll('_', '-')

function isOfComponent(path: string[], clue: string[]): boolean {
  const parts = clue.flatMap((part) => part.split('.'))
  if (parts.length > 1) return isOfModule(path, parts)
  const name = word(parts[0] ?? '')
  if (name.length < 3 || generic.test(name)) return false
  return [...path.slice(0, -1), stem(path.at(-1)!)].some((part) => word(part) === name)
}

const bounded = (score: number) => Math.min(0.95, Math.max(0, Math.round(score * 100) / 100))
const signed = (weight: number) => `${weight < 0 ? '−' : '+'}${Math.abs(weight).toFixed(2)}`
const shown = (text: string) => oneLine(text).slice(0, 120).toWellFormed()

function nameOf({ pullRequest, title, author, commit }: KnownMerge): string {
  const name = pullRequest === null ? `Commit ${commit.slice(0, 12)}` : `Pull request #${pullRequest}`
  return `${name} “${shown(title)}”${author === '' ? '' : ` by ${shown(author)}`}`
}

const span = (later: Date, earlier: Date) =>
  duration(Math.max(0, later.getTime() - earlier.getTime()) / hourMs)

function duration(hours: number): string {
  const minutes = Math.round(hours * 60)
  if (minutes === 0) return 'less than a minute'
  if (minutes < 120) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  return `${Math.round(hours)} hours`
}

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

function seenIn(alerts: readonly InvestigatedAlert[], { frames, files, modules, components }: Clues): string {
  const names = files.length + modules.length + components.length
  if (frames.length + names === 0)
    return alerts.length === 1
      ? 'The alert has no stack trace and names no file'
      : `None of the ${alerts.length} alerts has a stack trace or names a file`
  const [who, traces, has, tells] =
    alerts.length === 1
      ? ['The alert', 'its stack trace', 'has', 'names']
      : [`The ${alerts.length} alerts`, 'their stack traces', 'have', 'name']
  const named = counted(names, 'file, module or component', 'files, modules or components')
  if (frames.length === 0) return `${who} ${has} no stack trace and ${tells} ${named}`
  const traced = `${who} ${tells} ${counted(frames.length, 'file', 'files')} in ${traces}`
  return names === 0 ? traced : `${traced} and ${named} elsewhere`
}

function mergesSeen(merges: KnownMerge[], first: Date): string {
  const newest = merges.reduce<Date | null>(
    (latest, { mergedAt }) => (latest && latest > mergedAt ? latest : mergedAt),
    null,
  )
  const count = counted(merges.length, 'merge', 'merges')
  const summary = `${count} in the ${windowHours} hours before the first alert`
  return newest ? `${summary}, the newest ${span(first, newest)} before it` : summary
}
