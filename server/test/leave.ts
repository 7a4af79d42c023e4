import { isMainThread } from 'node:worker_threads'

/**
 * Imported by every process of `npm test`. One that has ended its tests and does not leave fails, and says what it still
 * holds: something that a test has started was not stopped. Otherwise it would hold up everything for its whole time.
 */

/** Longer than anything takes to close, on a slow machine too. */
const longestMs = 120_000

// What a test starts inherits its options. It is no test.
if (isMainThread && process.ppid === Number(process.env.SIGNALBOX_TEST_RUNNER)) {
  const { after } = await import('node:test')
  after(() => {
    setTimeout(() => {
      const held = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (name) => name))
      const counted = held.map(([name, each]) => `${each!.length} ${name}`).join(', ')
      process.stderr.write(`The tests are over, and the process does not leave: ${counted}.\n`)
      process.exit(1)
    }, longestMs).unref()
  })
}
