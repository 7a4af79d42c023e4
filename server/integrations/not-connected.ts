import type { Chat } from '../domain/ports/chat.ts'
import type { GitHost } from '../domain/ports/git-host.ts'
import type { Tracker } from '../domain/ports/tracker.ts'
import type { WorkPort } from '../domain/ports/work.ts'

/** What stands in for a part that nobody has connected. What needs it waits, and says what it waits for. */

const missing = (what: string) => async (): Promise<never> => {
  throw new Error(`No ${what} is connected.`)
}

export const noWork: WorkPort = { name: 'nobody', serves: () => false, hand: missing('runner') }

export const noGitHost: GitHost = {
  merge: missing('git host'),
  checkMain: missing('git host'),
  openRevert: missing('git host'),
  revertCommit: missing('git host'),
}

export const noTracker: Tracker = { createIssue: missing('tracker'), comment: missing('tracker') }

export const noChat: Chat = { post: missing('chat tool') }
