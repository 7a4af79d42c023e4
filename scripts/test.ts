import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { offerShared } from '../acceptance/app/offer-shared.ts'
import { globalSetup, globalTeardown } from '../server/test/cluster.ts'

/**
 * Runs all tests, or the files that it is given: what `node --test` does, in an order of our own. Both halves are in one
 * line, so that no core waits at the end of the first; and what takes long begins early, so that none waits for it.
 */

const root = path.join(import.meta.dirname, '..')
const everything = ['contract', 'server', 'runner', 'demo', 'web', 'acceptance'].map(
  (folder) => `${folder}/**/*.test.ts`,
)

/** The longest first; the order of all others does not matter. */
const longest = [
  'acceptance/app/screens.test.ts',
  'acceptance/app/whole-way.test.ts',
  'server/test/faults.test.ts',
  'server/test/engine-crash.test.ts',
  'server/test/tools-crash.test.ts',
  'runner/conformance/process.test.ts',
  'server/test/pairs.test.ts',
  'server/test/crash.test.ts',
  'server/domain/engine/model.test.ts',
  'acceptance/runs.test.ts',
  'acceptance/app/decisions.test.ts',
  'acceptance/signals.test.ts',
  'acceptance/starting.test.ts',
  'acceptance/decisions.test.ts',
  'acceptance/app/real-run.test.ts',
  'server/test/workers.test.ts',
  'server/test/silent-database.test.ts',
  'acceptance/app/sign-in.test.ts',
  'acceptance/app/settings.test.ts',
  'acceptance/app/notifications.test.ts',
  'acceptance/endpoints.test.ts',
  'acceptance/authentication.test.ts',
  'acceptance/audit.test.ts',
  'server/faces/intake/hostile.test.ts',
]

const found = globSync(everything, { cwd: root, exclude: ['**/node_modules'] }).sort()
const renamed = longest.filter((file) => !found.includes(file))
if (renamed.length > 0)
  throw new Error(`scripts/test.ts names files that are not there: ${renamed.join(', ')}`)

const [, , ...given] = process.argv
const wanted = given.length > 0 ? globSync(given, { cwd: root }) : [...longest, ...found]
if (wanted.length === 0) throw new Error(`There is no ${given.join(', ')}.`)

// On from the first file that a process reads; the servers that acceptance starts turn it on by themselves.
process.env.NODE_COMPILE_CACHE = path.join(root, 'node_modules', '.cache', 'compile')

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())

await globalSetup()
const shared = await offerShared()
try {
  const tests = run({
    cwd: root,
    files: [...new Set(wanted)].map((file) => path.join(root, file)),
    // Some wait more than they work.
    concurrency: Math.min(availableParallelism() + 4, 10),
    // Hundreds of processes that live for seconds: room for what they make at the start, and nobody beside them to
    // clear it away.
    execArgv: [
      ...['--min-semi-space-size=16', '--single-threaded-gc'],
      ...['--import', path.join(root, 'server', 'quick-start.ts')],
    ],
    // A file that hangs fails by its name, instead of holding up everything until somebody looks.
    timeout: process.env.FAULTS === 'all' ? 4 * 3_600_000 : 20 * 60_000,
    signal: interrupted.signal,
  })
  tests.on('test:fail', () => {
    process.exitCode = 1
  })
  const report = tests.compose(spec)
  report.pipe(process.stdout)
  await finished(report)
} finally {
  await shared.end()
  await globalTeardown()
}
