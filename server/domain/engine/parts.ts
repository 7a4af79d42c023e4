import type { Evidence, Gate, RunListed } from '@signalbox/contract/run.ts'
import type { Work } from '@signalbox/contract/runner/messages.ts'

/**
 * A run in several repositories. Each of them is a part, and the parts have their turns: what the run remembers of its
 * repository (`Own`) is always that of the part whose turn it is, so that whoever looks at one change, one branch or one
 * merge looks at exactly one, in a run of one repository and in a run of many. docs/decisions/0061 says why.
 */

/** What the server has read out of the work by itself. Exactly this is merged, and nothing else. */
export interface Derived {
  base: string
  head: string
  /** Of the head. */
  tree: string
  /** Parents of its commits that are neither among them nor the base. */
  outside: string[]
  /** How many they are. */
  commits: number
  /** Files of the pinned spec that it brings: no part of the change, but of the merge. */
  pinnedPaths: string[]
  /** The diff that the runner had uploaded, which its evidence names. What people are shown is the server's own. */
  toldDiff: string | null
}

/** What is remembered of one repository. */
export interface Own {
  /** The commit that the work began from; null before a repository was seen. */
  base: string | null
  /** What was made so far, in no repository yet: whoever goes on begins there. */
  work: Work | null
  /** Of the file with the unified diff of the change. */
  diff: string | null
  /** Null: whoever made it works in this process, and has no repository. */
  derived: Derived | null
  /**
   * Gates that failed on the commit that the work began from, and those of them that were not seen passing since. Null:
   * nobody has said.
   */
  onBase: { failed: string[]; unproven: string[] } | null
  /** What was pushed, and is asked to be merged. */
  branch: { name: string; head: string } | null
  /** The commit of the merge, until something is made anew. */
  merged: string | null
  /** What was found on the main branch before the merge; null: nobody has looked. */
  mainSeen: { commit: string; state: 'green' | 'red' } | null
}

/** One of several repositories of a run. */
export interface Part extends Own {
  /** As the team knows it. */
  name: string
  /** Null: it was not changed. Paths are its own. */
  change: Evidence['changes'] | null
  pullRequest: RunListed['pullRequest']
  /** What its gates came to; null: they have not run on this change. */
  measured: { gates: Gate[]; evidence: Omit<Evidence, 'collectedAt' | 'gates' | 'repositories'> } | null
  /** Its main branch was found green with the merge in it, or no redder than before. */
  isGreen: boolean
}

/** What of a run's memory is about its repositories. */
export interface Turning extends Own {
  /** By name; none: the run is about one repository. */
  parts: Part[]
  /** Whose turn it is; null: that of the team's only repository, or its first. */
  at: string | null
}

export const unseen: Own = {
  ...{ base: null, work: null, diff: null, derived: null },
  ...{ onBase: null, branch: null, merged: null, mainSeen: null },
}

const ownOf = ({ base, work, diff, derived, onBase, branch, merged, mainSeen }: Own): Own => ({
  ...{ base, work, diff, derived, onBase, branch, merged, mainSeen },
})

const blankPart = (name: string): Part => ({
  ...{ name, ...unseen, change: null, pullRequest: null, measured: null, isGreen: false },
})

/** What a run begins with: one named repository is no part, but the one whose turn it always is. */
export function beginsWith(names: readonly string[]): Pick<Turning, 'parts' | 'at'> {
  const [first = null, ...others] = names.toSorted(byName)
  return others.length === 0
    ? { parts: [], at: first }
    : { parts: names.toSorted(byName).map(blankPart), at: first }
}

/** The order in which repositories are worked on, measured, and merged. */
const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Every part as it is now, with what stands beside for the one whose turn it is. */
export const partsOf = (memory: Turning): Part[] =>
  memory.parts.map((part) => (part.name === memory.at ? { ...part, ...ownOf(memory) } : part))

/** The same memory with another part's turn. */
export function turnTo<M extends Turning>(memory: M, name: string | undefined): M {
  const parts = partsOf(memory)
  const next = parts.find((part) => part.name === name)
  return next ? { ...memory, parts, at: next.name, ...ownOf(next) } : memory
}

/** The part whose turn it is, with what else is known of it now. */
export const noteOfPart = (memory: Turning, noted: Partial<Part>): Pick<Turning, 'parts'> => ({
  parts: memory.parts.map((part) => (part.name === memory.at ? { ...part, ...noted } : part)),
})

export const changedParts = (memory: Turning): Part[] => partsOf(memory).filter(isChanged)

const isChanged = ({ work, derived }: Part) => work !== null || derived !== null

const linesOf = ({ change }: Part) => (change?.additions ?? 0) + (change?.deletions ?? 0)

/** The part that changed most, the first by name where two changed as much: its pull request is the run's. */
export const leadOf = (memory: Turning): Part | undefined =>
  changedParts(memory).reduce<Part | undefined>(
    (lead, part) => (lead && linesOf(lead) >= linesOf(part) ? lead : part),
    undefined,
  )

/** What is left to do in the other parts, the first by name first. */
export const unmeasured = (memory: Turning): Part | undefined =>
  changedParts(memory).find(({ measured }) => measured === null)
export const unpushed = (memory: Turning): Part | undefined =>
  changedParts(memory).find((part) => part.branch?.head !== headIn(part))
export const unmerged = (memory: Turning): Part | undefined =>
  changedParts(memory).find(({ merged }) => merged === null)
export const unlooked = (memory: Turning): Part | undefined =>
  changedParts(memory).find(({ isGreen }) => !isGreen)

/** Whether something of it is merged, and something is not. */
export const isHalfMerged = (memory: Turning): boolean => {
  const changed = changedParts(memory)
  return changed.some(({ merged }) => merged !== null) && changed.some(({ merged }) => merged === null)
}

/** What a run made in each repository, as it counts. */
export interface MadeIn {
  name: string
  change: Evidence['changes']
  work: Work
  diff: string | null
  derived: Derived | null
}

/** A change of all that was made: what was not changed this time is not part of it, whatever it was before. */
export function withMade<M extends Turning>(memory: M, made: readonly MadeIn[]): M & Turning {
  const parts = partsOf(memory).map((part): Part => {
    const found = made.find(({ name }) => name === part.name)
    const over = { onBase: null, measured: null, isGreen: false }
    return found
      ? { ...part, ...over, ...found, base: part.base ?? found.work.base }
      : { ...part, ...over, change: null, work: null, derived: null, diff: null }
  })
  const first = parts.find(isChanged) ?? parts[0]!
  return { ...memory, parts, at: first.name, ...ownOf(first) }
}

/** Work that was set aside in the other repositories, and where each of them began. */
export function notedOfOthers(
  memory: Turning,
  others: readonly { name: string; base?: string; work?: Work }[] = [],
): Pick<Turning, 'parts'> {
  const parts = memory.parts.map((part) => {
    const found = others.find(({ name }) => name === part.name)
    if (!found) return part
    return {
      ...part,
      base: part.base ?? found.base ?? null,
      ...(found.work ? { work: found.work, derived: null } : {}),
    }
  })
  return { parts }
}

/** Every repository as it is before anything was made in it. */
export const partsAnew = ({ parts }: Turning): Pick<Turning, 'parts'> => ({
  parts: parts.map(({ name, pullRequest }) => ({ ...blankPart(name), pullRequest })),
})

/** The acceptance spec, where it is in the repository whose turn it is. */
export function specInTurn<S extends { repository?: string }>(
  { parts, at }: Turning,
  spec: S | null,
): S | null {
  const [first] = parts
  return !first || (spec?.repository ?? first.name) === at ? spec : null
}

/** A path as people are shown it where there are several repositories: `halden/api:src/app.ts`. */
const pathIn = (name: string, path: string) => `${name}:${path}`

/** What of such paths is in one repository, as it is called there. A path that names none is in the first. */
export const pathsWithin = (
  { parts }: Pick<Turning, 'parts'>,
  name: string,
  paths: readonly string[],
): string[] =>
  paths.flatMap((path) => {
    const part = parts.find((one) => path.startsWith(`${one.name}:`))
    const where = part ?? parts[0]
    return where?.name === name ? [part ? path.slice(part.name.length + 1) : path] : []
  })

/** Those of the paths that something is true of, asked of each repository in its own words. */
export function pathsThat(
  memory: Pick<Turning, 'parts'>,
  paths: readonly string[],
  holds: (own: string[]) => string[],
): string[] {
  if (memory.parts.length === 0) return holds([...paths])
  return memory.parts.flatMap(({ name }) =>
    holds(pathsWithin(memory, name, paths)).map((path) => pathIn(name, path)),
  )
}

/** What was changed in all repositories together. */
export const wholeChange = (made: readonly Pick<MadeIn, 'name' | 'change'>[]): Evidence['changes'] => ({
  files: sum(made, ({ change }) => change.files),
  additions: sum(made, ({ change }) => change.additions),
  deletions: sum(made, ({ change }) => change.deletions),
  paths: made.flatMap(({ name, change }) => change.paths.map((path) => pathIn(name, path))),
})

const sum = <T>(all: readonly T[], of: (one: T) => number) => all.reduce((total, one) => total + of(one), 0)

const nothing: Evidence['changes'] = { files: 0, additions: 0, deletions: 0, paths: [] }

/** What was made there: as the server has read it, else as it was handed in. */
const headIn = ({ derived, work }: Part) => derived?.head ?? work?.head ?? ''

/** What the gates came to in every repository that was changed: each gate with the name of its repository. */
export function wholeEvidence(memory: Turning): { gates: Gate[]; evidence: Omit<Evidence, 'collectedAt'> } {
  const changed = changedParts(memory)
  const lead = leadOf(memory)
  const gates = changed.flatMap(({ measured }) => measured?.gates ?? [])
  const said = changed.flatMap(({ name, measured }) => (measured ? [{ name, ...measured.evidence }] : []))
  const criteria = new Map<string, Evidence['criteria'][number]>()
  for (const criterion of said.flatMap((one) => one.criteria)) {
    const known = criteria.get(criterion.id)
    // What one repository says nothing about another may have proven; what failed in one has failed.
    if (!known || known.result === 'skipped' || criterion.result === 'failed')
      criteria.set(criterion.id, criterion)
  }
  const shown = said.filter(({ demonstration }) => demonstration !== null)
  return {
    gates,
    evidence: {
      commit: lead ? headIn(lead) : '',
      gates,
      criteria: [...criteria.values()],
      changes: wholeChange(changed.map(({ name, change }) => ({ name, change: change ?? nothing }))),
      demonstration: shown.map(({ name, demonstration }) => `${name}: ${demonstration}`).join('\n\n') || null,
      repositories: changed.map((part) => {
        const { files, additions, deletions } = part.change ?? nothing
        return { name: part.name, commit: headIn(part), files, additions, deletions }
      }),
    },
  }
}
