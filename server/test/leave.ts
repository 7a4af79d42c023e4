import { isMainThread } from 'node:worker_threads'

/**
 * Imported by every process of `npm test`. One that has ended its tests and does not leave fails, and says what it still
 * holds: something that a test has started was not stopped. Otherwise it would hold up everything for its whole time.
 */

/** Longer than anything takes to close, on a slow machine too. */
const longestMs = Number(process.env.SIGNALBOX_TEST_LEAVE_MS ?? 120_000)

let areFilesLeft = false
let hasEnded = false
let countdown: NodeJS.Timeout | undefined

/**
 * For a process that reads one file after the other. Node calls its tests over as soon as none is registered, so already
 * between two files; they are over when the function that this returns is called.
 */
export function readSeveral(): () => void {
  areFilesLeft = true
  return () => {
    areFilesLeft = false
    end()
  }
}

function end(): void {
  if (areFilesLeft) return
  hasEnded = true
  clearTimeout(countdown)
  countdown = setTimeout(() => {
    const held = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (name) => name))
    const counted = held.map(([name, each]) => `${each!.length} ${name}`).join(', ')
    process.stderr.write(`The tests are over, and the process does not leave: ${counted}.\n`)
    process.exit(1)
  }, longestMs).unref()
}

// What a test starts inherits its options. It is no test.
if (isMainThread && process.ppid === Number(process.env.SIGNALBOX_TEST_RUNNER)) {
  const { after, afterEach, beforeEach } = await import('node:test')
  after(end)
  // A file that awaits something between two of its tests has been called over by Node, too.
  beforeEach(() => clearTimeout(countdown))
  afterEach(() => {
    if (hasEnded) end()
  })
}
