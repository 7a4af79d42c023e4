import type { Store } from '../git/git.ts'
import type { GatePlan } from './gate.ts'
import { gatesFile, readGatesFile } from './gates-file.ts'
import { planByRules } from './rules.ts'

/**
 * How a project is measured, read from that commit and from nothing in a worktree: the work that is measured
 * does not say how. Throws a `GatesFileError` where the file cannot be followed.
 */
export async function planGates(store: Store, commit: string): Promise<GatePlan> {
  const read = async (path: string) => (await store.readFile(commit, path))?.toString() ?? null
  const paths = (await store.entries(commit)).map(({ path }) => path)
  const byRules = await planByRules({ paths, read })
  const text = await read(gatesFile)
  if (text === null) return byRules
  const { setUp, gates } = readGatesFile(text)
  return { setUp: setUp ?? byRules.setUp, gates, from: gatesFile }
}
