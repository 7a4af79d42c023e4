import { Unreachable } from './reach.ts'
import { GitError } from './run.ts'

/**
 * What git says where a repository is not given out: not there, not to us, or not this branch. The statuses are those of
 * the git host, or of the server that asks it for us; the words are git's own, in English because LC_ALL is C.
 */
const lasting =
  /returned error: (401|403|404|410|422)\b|Authentication failed|could not read Username|Permission denied|repository( '[^']{1,1000}')? not found|does not appear to be a git repository|does not exist|couldn't find remote ref|not our ref/i

/** Whether a fetch that failed would fail again tomorrow, unless someone helps. */
export const isPermanentFailure = (error: Error): boolean =>
  error instanceof Unreachable || (error instanceof GitError && lasting.test(error.message))
