import type { MergeFacts, MergeResult, Verified } from '../../domain/ports/git-host.ts'

/** What a host reports about its commits, no matter who made them. */
export interface HostCommits {
  /** Null: it does not show that commit yet. The tree is null where it never tells. */
  commit(id: string): Promise<{ tree: string | null; parents: string[] } | null>
  /** The paths that differ between two commits; null: it does not tell all of them. */
  changed(from: string, to: string): Promise<readonly string[] | null>
}

/** What there was to be held, and whether it does. */
type Held = Pick<MergeFacts, 'onto' | 'heldBy'> & { mismatch: string | null }

export const unverified =
  'the change was not verified by this server. Retry the run, so that a runner submits it again.'

/** Something was merged without being verified. */
export const mergedUnverified = (commit: string): MergeResult => ({
  merged: true,
  commit,
  facts: null,
  mismatch: `The merge ${short(commit)} was made, but ${unverified}`,
})

/**
 * Holds a merge against what was verified. It may be a merge commit, or what a squash or a rebase has made of it: what
 * counts is what the branch has got, compared with where it stood before.
 */
export async function heldMerge(verified: Verified, commit: string, host: HostCommits): Promise<MergeResult> {
  const made = await host.commit(commit)
  if (!made)
    return {
      merged: false,
      reason: `The host does not show the merge ${short(commit)} yet.`,
      isPending: true,
    }
  const { head, tree } = verified
  const facts = { ...factsOf(verified, commit), mergedTree: made.tree }
  const settled = ({ mismatch, ...held }: Held): MergeResult => ({
    merged: true,
    commit,
    facts: { ...facts, ...held },
    mismatch,
  })
  const [first, second, ...more] = made.parents
  if (!first || more.length > 0)
    return settled({
      onto: null,
      heldBy: 'none',
      mismatch: `The merge ${short(commit)} does not merge two commits.`,
    })
  if (second && second !== head && (await host.commit(second))?.tree !== tree)
    return settled({
      ...{ onto: first, heldBy: 'none' },
      mismatch: `The merge ${short(commit)} brought in ${short(second)}, but ${short(head)} was verified.`,
    })
  // A squash merge is a single commit on the branch; a rebase keeps as many commits as there were.
  const ontos = new Set([first, ...(second ? [] : [await ancestor(host, commit, verified.commits)])])
  let held: Held | null = null
  for (const onto of ontos) {
    if (onto === null) continue
    held = await heldOnto(verified, { commit, onto, tree: made.tree, isMerge: second !== undefined }, host)
    if (held.mismatch === null) break
  }
  return settled(held!)
}

async function heldOnto(
  { base, tree, paths }: Verified,
  merge: { commit: string; onto: string; tree: string | null; isMerge: boolean },
  host: HostCommits,
): Promise<Held> {
  const { onto } = merge
  if (onto === base && merge.tree !== null)
    return {
      ...{ onto, heldBy: 'tree' },
      mismatch:
        merge.tree === tree
          ? null
          : `The branch got the tree ${short(merge.tree)}, but ${short(tree)} was verified.`,
    }
  const changed = await host.changed(onto, merge.commit)
  if (changed === null)
    return merge.isMerge
      ? { onto, heldBy: 'parents', mismatch: null }
      : {
          ...{ onto, heldBy: 'none' },
          mismatch: `The host does not list everything that the merge ${short(merge.commit)} changes, so it cannot be compared with what was verified.`,
        }
  const known = new Set(paths)
  const others = changed.filter((path) => !known.has(path))
  return {
    ...{ onto, heldBy: 'paths' },
    mismatch:
      others.length === 0
        ? null
        : `The merge ${short(merge.commit)} changes ${listed(others)}, which the verified change does not touch.`,
  }
}

/** So many first parents before; null: the host does not show one of them. */
async function ancestor(host: HostCommits, commit: string, steps: number): Promise<string | null> {
  let at: string | null = commit
  for (let step = 0; at !== null && step < Math.min(steps, mostSteps); step += 1)
    at = (await host.commit(at))?.parents[0] ?? null
  return at
}

const mostSteps = 50
const mostNamed = 10

export const listed = (paths: readonly string[]): string => {
  const rest = paths.length - mostNamed
  return `${paths.slice(0, mostNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

const elsewhere = ({ base }: Pick<Verified, 'base'>, branch: string) =>
  `the work began from ${short(base)}, which is not on the branch ${branch}.`
const foreign = (commit: string) =>
  `the work builds on ${short(commit)}, which is not part of what it began from.`

/** Work that did not begin on the branch brings in commits that no one was shown. Null: it did begin there. */
export async function strangeOrigin(
  { base, outside }: Pick<Verified, 'base' | 'outside'>,
  branch: string,
  leadsTo: (commit: string, to: string) => Promise<boolean>,
): Promise<string | null> {
  if (!(await leadsTo(base, branch))) return elsewhere({ base }, branch)
  for (const commit of outside) if (!(await leadsTo(commit, base))) return foreign(commit)
  return null
}

/** The pull request was merged at the host, with another commit. */
export const mergedOther = (commit: string, head: string, verified: Verified): MergeResult => ({
  merged: true,
  commit,
  facts: { ...factsOf(verified, commit), mergedTree: null, onto: null, heldBy: 'none' },
  mismatch: `The merge ${short(commit)} brought in ${short(head)}, but ${short(verified.head)} was verified.`,
})

const factsOf = ({ base, head, tree }: Verified, commit: string) => ({ commit, head, base, tree })

const short = (commit: string) => commit.slice(0, 12)
