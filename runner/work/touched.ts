import type { Store, Worktree } from '../git/git.ts'
import { Unacceptable } from '../git/worktree.ts'

/** What an agent changed in a worktree that it was only to read, by path. */
export async function touchedIn(store: Store, worktree: Worktree, commit: string): Promise<string[]> {
  try {
    const changes = await store.changes(commit, await worktree.tree({ fresh: true }))
    return changes.map(({ path }) => path.slice(0, 1_000)).slice(0, 100)
  } catch (error) {
    if (error instanceof Unacceptable) return [error.message.slice(0, 1_000)]
    throw error
  }
}
