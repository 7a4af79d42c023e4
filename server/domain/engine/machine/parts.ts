import type { Evidence, Gate, RunListed } from '@signalbox/contract/run.ts'
import type { Work } from '@signalbox/contract/runner/messages.ts'

/**
 * A run in several repositories. Each of them is a part, and the parts have their turns: what the run remembers of its
 * repository (`RepositoryMemory`) is always that of the part whose turn it is, so that code about one change,
 * one branch or one merge is the same for runs of one repository and of many. docs/decisions/0061 says why.
 */

/** What the server itself has read out of the work. Exactly this is merged, and nothing else. */
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
export interface RepositoryMemory {
  /** The commit that the work began from; null before a repository was seen. */
  base: string | null
  /** What was made so far, in no repository yet: the next work order continues from it. */
  work: Work | null
  /** Of the file with the unified diff of the change. */
  diff: string | null
  /** Null: it comes from a worker inside this process, which has no repository. */
  derived: Derived | null
  /**
   * Gates that failed on the commit that the work began from, and those of them that were not seen passing since. Null:
   * not reported.
   */
  onBase: { failed: string[]; unproven: string[] } | null
  /** What was pushed, and is asked to be merged. */
  branch: { name: string; head: string } | null
  /** The commit of the merge, until the work starts again. */
  merged: string | null
  /** What was found on the main branch before the merge; null: not looked at. */
  mainSeen: { commit: string; state: 'green' | 'red' } | null
}

/** One of several repositories of a run. */
export interface Part extends RepositoryMemory {
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
export interface RepositoriesMemory extends RepositoryMemory {
  /** By name; none: the run is about one repository. */
  parts: Part[]
  /** Whose turn it is; null: that of the team's only repository, or its first. */
  at: string | null
}

export const blankRepository: RepositoryMemory = {
  ...{ base: null, work: null, diff: null, derived: null },
  ...{ onBase: null, branch: null, merged: null, mainSeen: null },
}

const repositoryMemoryOf = ({
  base,
  work,
  diff,
  derived,
  onBase,
  branch,
  merged,
  mainSeen,
}: RepositoryMemory): RepositoryMemory => ({
  ...{ base, work, diff, derived, onBase, branch, merged, mainSeen },
})

const blankPart = (name: string): Part => ({
  ...{ name, ...blankRepository, change: null, pullRequest: null, measured: null, isGreen: false },
})

/** What a run begins with: one named repository is no part, but the one whose turn it always is. */
export function initialParts(names: readonly string[]): Pick<RepositoriesMemory, 'parts' | 'at'> {
  const [first = null, ...others] = names.toSorted(byName)
  return others.length === 0
    ? { parts: [], at: first }
    : { parts: names.toSorted(byName).map(blankPart), at: first }
}

/** The order in which repositories are worked on, measured, and merged. */
const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Every part as it is now: the one whose turn it is has its values in the memory itself. */
export const partsOf = (memory: RepositoriesMemory): Part[] =>
  memory.parts.map((part) => (part.name === memory.at ? { ...part, ...repositoryMemoryOf(memory) } : part))

/** The same memory with another part's turn. */
export function switchToPart<M extends RepositoriesMemory>(memory: M, name: string | undefined): M {
  const parts = partsOf(memory)
  const next = parts.find((part) => part.name === name)
  return next ? { ...memory, parts, at: next.name, ...repositoryMemoryOf(next) } : memory
}

/** The part whose turn it is, with what else is known of it now. */
export const updatePart = (
  memory: RepositoriesMemory,
  noted: Partial<Part>,
): Pick<RepositoriesMemory, 'parts'> => ({
  parts: memory.parts.map((part) => (part.name === memory.at ? { ...part, ...noted } : part)),
})

export const changedParts = (memory: RepositoriesMemory): Part[] => partsOf(memory).filter(isChanged)

/** Repositories that are no longer part of the change, but have an open pull request, which must not be merged. */
export const abandonedParts = (memory: RepositoriesMemory): Part[] =>
  partsOf(memory).filter((part) => !isChanged(part) && part.pullRequest !== null && part.merged === null)

const isChanged = ({ work, derived }: Part) => work !== null || derived !== null

const linesOf = ({ change }: Part) => (change?.additions ?? 0) + (change?.deletions ?? 0)

/** The part that changed most, the first by name where two changed as much: its pull request is the run's. */
export const largestPart = (memory: RepositoriesMemory): Part | undefined =>
  changedParts(memory).reduce<Part | undefined>(
    (lead, part) => (lead && linesOf(lead) >= linesOf(part) ? lead : part),
    undefined,
  )

/** The part in which a step is still to be done, the first by name. */
export const nextToVerify = (memory: RepositoriesMemory): Part | undefined =>
  changedParts(memory).find(({ measured }) => measured === null)
export const nextToPush = (memory: RepositoriesMemory): Part | undefined =>
  changedParts(memory).find((part) => part.branch?.head !== headIn(part))
export const nextToMerge = (memory: RepositoriesMemory): Part | undefined =>
  changedParts(memory).find(({ merged }) => merged === null)
export const nextToCheckMain = (memory: RepositoriesMemory): Part | undefined =>
  changedParts(memory).find(({ isGreen }) => !isGreen)

/** Whether something of it is merged, and something is not. */
export const isHalfMerged = (memory: RepositoriesMemory): boolean => {
  const changed = changedParts(memory)
  return changed.some(({ merged }) => merged !== null) && changed.some(({ merged }) => merged === null)
}

/** The change of a run in one repository. */
export interface RepositoryChange {
  name: string
  change: Evidence['changes']
  work: Work
  diff: string | null
  derived: Derived | null
}

/** Replaces the change in every repository: one that is not in `changes` is no longer part of the change. */
export function withChanges<M extends RepositoriesMemory>(
  memory: M,
  changes: readonly RepositoryChange[],
): M & RepositoriesMemory {
  const parts = partsOf(memory).map((part): Part => {
    const found = changes.find(({ name }) => name === part.name)
    const cleared = { onBase: null, measured: null, isGreen: false }
    return found
      ? { ...part, ...cleared, ...found, base: part.base ?? found.work.base }
      : { ...part, ...cleared, change: null, work: null, derived: null, diff: null }
  })
  const first = parts.find(isChanged) ?? parts[0]!
  return { ...memory, parts, at: first.name, ...repositoryMemoryOf(first) }
}

/** Work that was set aside in the other repositories, and where each of them began. */
export function updateOtherParts(
  memory: RepositoriesMemory,
  others: readonly { name: string; base?: string; work?: Work }[] = [],
): Pick<RepositoriesMemory, 'parts'> {
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

/** Every repository as it is before any work in it; pull requests stay. */
export const resetParts = ({ parts }: RepositoriesMemory): Pick<RepositoriesMemory, 'parts'> => ({
  parts: parts.map(({ name, pullRequest }) => ({ ...blankPart(name), pullRequest })),
})

/** The acceptance spec, where it is in the repository whose turn it is. */
export function specInTurn<S extends { repository?: string }>(
  { parts, at }: RepositoriesMemory,
  spec: S | null,
): S | null {
  const [first] = parts
  return !first || (spec?.repository ?? first.name) === at ? spec : null
}

/** A path as people are shown it where there are several repositories: `halden/api:src/app.ts`. */
const pathIn = (name: string, path: string) => `${name}:${path}`

/** What of such paths is in one repository, as it is called there. A path that names none is in the first. */
export const pathsWithin = (
  { parts }: Pick<RepositoriesMemory, 'parts'>,
  name: string,
  paths: readonly string[],
): string[] =>
  paths.flatMap((path) => {
    const part = parts.find((one) => path.startsWith(`${one.name}:`))
    const where = part ?? parts[0]
    return where?.name === name ? [part ? path.slice(part.name.length + 1) : path] : []
  })

/** Those of the paths that something is true of, asked of each repository in its own words. */
export function filterPaths(
  memory: Pick<RepositoriesMemory, 'parts'>,
  paths: readonly string[],
  holds: (own: string[]) => string[],
): string[] {
  if (memory.parts.length === 0) return holds([...paths])
  return memory.parts.flatMap(({ name }) =>
    holds(pathsWithin(memory, name, paths)).map((path) => pathIn(name, path)),
  )
}

/** What was changed in all repositories together. */
export const wholeChange = (
  changes: readonly Pick<RepositoryChange, 'name' | 'change'>[],
): Evidence['changes'] => ({
  files: sum(changes, ({ change }) => change.files),
  additions: sum(changes, ({ change }) => change.additions),
  deletions: sum(changes, ({ change }) => change.deletions),
  paths: changes.flatMap(({ name, change }) => change.paths.map((path) => pathIn(name, path))),
})

const sum = <T>(all: readonly T[], of: (one: T) => number) => all.reduce((total, one) => total + of(one), 0)

const nothing: Evidence['changes'] = { files: 0, additions: 0, deletions: 0, paths: [] }

/** What was made there: as the server has read it, else as it was handed in. */
const headIn = ({ derived, work }: Part) => derived?.head ?? work?.head ?? ''

/** What the gates came to in every repository that was changed: each gate with the name of its repository. */
export function wholeEvidence(memory: RepositoriesMemory): {
  gates: Gate[]
  evidence: Omit<Evidence, 'collectedAt'>
} {
  const changed = changedParts(memory)
  const lead = largestPart(memory)
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
      ...wholeReview(said),
    },
  }
}

/** Reviewed is what was reviewed in every repository; each finding is about a path of its own. */
function wholeReview(
  said: readonly ({ name: string } & Pick<Evidence, 'secondReview'>)[],
): Pick<Evidence, 'secondReview'> {
  const each = said.flatMap(({ name, secondReview }) => (secondReview ? [{ name, ...secondReview }] : []))
  const first = each.find(({ result }) => result !== 'reviewed') ?? each[0]
  if (!first) return {}
  return {
    secondReview: {
      ...{ result: first.result, agent: first.agent, model: first.model },
      says: each.flatMap(({ name, says }) => (says ? [`${name}: ${says}`] : [])).join('\n') || null,
      findings: each.flatMap(({ name, findings }) =>
        findings.map((found) => ({ ...found, file: found.file && pathIn(name, found.file) })),
      ),
    },
  }
}
