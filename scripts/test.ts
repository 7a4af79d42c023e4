import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { offerDemo } from '../acceptance/shared-demo.ts'
import { globalSetup, globalTeardown } from '../server/test/cluster.ts'

/**
 * Runs all tests, or the files that it is given: what `node --test` does, in an order of our own. Both halves are in one
 * line, so that no core waits at the end of the first; and what takes long begins early, so that none waits for it.
 *
 * With FAULTS=all (`npm run test:faults`) it runs the files that then prove more: every fault instead of one of each
 * kind.
 */

const root = path.join(import.meta.dirname, '..')
const everything = ['contract', 'server', 'runner', 'demo', 'web', 'acceptance'].map(
  (folder) => `${folder}/**/*.test.ts`,
)

/** Few enough that none of these processes is at work when all others have ended. */
const mostTogether = 18

/** The longest first; the order of all others does not matter. */
const longest = [
  'acceptance/app/screens.test.ts',
  'acceptance/app/whole-way.test.ts',
  'server/test/faults.test.ts',
  'server/test/engine-crash.test.ts',
  'server/test/tools-crash.test.ts',
  'runner/conformance/process.test.ts',
  'runner/conformance/work/work.test.ts',
  'runner/conformance/work/teeth.test.ts',
  'server/faces/runner/conformance.test.ts',
  'server/test/pairs.test.ts',
  'server/test/lying-runner.test.ts',
  'server/integrations/bundles/bundle-reader.test.ts',
  'server/test/several-repositories.test.ts',
  'server/test/start.test.ts',
  'server/test/crash.test.ts',
  'server/domain/engine/model.test.ts',
  'acceptance/runs.test.ts',
  'acceptance/app/decisions.test.ts',
  'acceptance/signals.test.ts',
  'acceptance/starting.test.ts',
  'acceptance/decisions.test.ts',
  'acceptance/app/real-run.test.ts',
  'server/test/workers.test.ts',
  'server/test/intake-crash.test.ts',
  'server/test/webhooks-crash.test.ts',
  'runner/work/stages.test.ts',
  'runner/work/inside.test.ts',
  'runner/images/images.test.ts',
  'runner/agents/gemini.test.ts',
  'server/test/silent-database.test.ts',
  'acceptance/app/sign-in.test.ts',
  'acceptance/app/settings.test.ts',
  'acceptance/app/notifications.test.ts',
  'acceptance/app/incidents.test.ts',
  'acceptance/endpoints.test.ts',
  'acceptance/authentication.test.ts',
  'acceptance/audit.test.ts',
  'server/faces/intake/hostile.test.ts',
]

const found = globSync(everything, { cwd: root, exclude: ['**/node_modules'] }).sort()
const renamed = longest.filter((file) => !found.includes(file))
if (renamed.length > 0)
  throw new Error(`scripts/test.ts names files that are not there: ${renamed.join(', ')}`)

const isThorough = process.env.FAULTS === 'all'
const provesMore = (file: string) => readFileSync(path.join(root, file), 'utf8').includes('FAULTS')
const [, , ...given] = process.argv
const wanted =
  given.length > 0 ? globSync(given, { cwd: root }) : isThorough ? found.filter(provesMore) : found
if (wanted.length === 0) throw new Error(`There is no ${given.join(', ')}.`)

// Some wait more than they work.
const concurrency = Math.min(availableParallelism() + 2, 10)
// A file that hangs fails by its name, instead of holding up everything until somebody looks.
const timeout = isThorough ? 4 * 3_600_000 : 20 * 60_000

// On from the first file that a process reads; the servers that acceptance starts turn it on by themselves.
process.env.NODE_COMPILE_CACHE = path.join(root, 'node_modules', '.cache', 'compile')

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-tests-'))
await globalSetup()
const demo = await offerDemo()
try {
  const tests = run({
    cwd: root,
    files: await processes(),
    concurrency,
    // Processes that live for seconds: room for what they make at the start, and nobody beside them to clear it away.
    execArgv: [
      ...['--min-semi-space-size=16', '--single-threaded-gc'],
      ...['--import', path.join(root, 'server', 'quick-start.ts')],
    ],
    timeout: 3 * timeout,
    signal: interrupted.signal,
  })
  tests.on('test:fail', () => {
    process.exitCode = 1
  })
  const report = tests.compose(spec)
  report.pipe(process.stdout)
  await finished(report)
} finally {
  await demo.end()
  await globalTeardown()
  await rm(folder, { recursive: true, force: true })
}

/**
 * What each process runs. The long ones and those of acceptance have one for themselves. All others share a few, one
 * after the other, because most of what a short file costs is loading the server. Those that do without the server
 * keep to themselves, and of the others those with a repository begin: they start hundreds of git commands, and a fork
 * costs what its process holds.
 */
async function processes(): Promise<string[]> {
  const isAlone = (file: string) => longest.includes(file) || file.startsWith('acceptance/')
  const needsServer = (file: string) => /^(server|demo)\//.test(file)
  const hasRepository = (file: string) =>
    readFileSync(path.join(root, file), 'utf8').includes('ABareRepository')
  const together = wanted
    .filter((file) => !isAlone(file))
    .sort((one, other) => Number(hasRepository(other)) - Number(hasRepository(one)))
  const groups = [
    ...split(together.filter(needsServer)),
    ...split(together.filter((file) => !needsServer(file))),
  ]
  const entries = groups.map(async (files, group) => {
    const entry = path.join(folder, `${group}.mjs`)
    await writeFile(
      entry,
      `import { suite } from 'node:test'
       for (const [name, url] of ${JSON.stringify(files.map((file) => [file, pathToFileURL(path.join(root, file)).href]))})
         await suite(name, { timeout: ${timeout} }, () => import(url))`,
    )
    return entry
  })
  return [
    ...longest.filter((file) => wanted.includes(file)).map((file) => path.join(root, file)),
    ...(await Promise.all(entries)),
    ...wanted.filter((file) => isAlone(file) && !longest.includes(file)).map((file) => path.join(root, file)),
  ]
}

/** Into groups that are about as long. */
function split(files: string[]): string[][] {
  const groups = Math.max(Math.min(concurrency, files.length), Math.ceil(files.length / mostTogether))
  return Array.from({ length: groups }, (_, group) => files.filter((_, at) => at % groups === group))
}
