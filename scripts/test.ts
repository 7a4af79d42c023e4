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
 * Runs the tests, or the files that it is given: what `node --test` does, in an order of our own. What takes long begins
 * early, so that no core waits for it at the end.
 *
 * `npm test` is what a change is tried with before it is committed, and stays under ten minutes. Files named
 * `….long.test.ts` play whole journeys, kill processes or wait for a real agent, git or browser many times over: they are
 * `npm run test:long`, or `--long` here.
 *
 * With FAULTS=all (`npm run test:faults`) it runs the files that then prove more: every fault instead of one of each
 * kind.
 */

const root = path.join(import.meta.dirname, '..')
const everything = ['contract', 'client', 'cli', 'server', 'runner', 'demo', 'web', 'acceptance'].map(
  (folder) => `${folder}/**/*.test.ts`,
)

/** Few enough that none of these processes is at work when all others have ended. */
const mostTogether = 18
/** About what such a process takes. A file that takes less begins after them, so that the end is made of short ones. */
const togetherSeconds = 40

/** Of what a process that failed has printed, how much is said again at the end. */
const mostLines = 40

/** The longest first; the order of all others does not matter. `npm test -- --record` measures them. */
const recording = path.join(import.meta.dirname, 'test-durations.json')
const durations = JSON.parse(readFileSync(recording, 'utf8')) as Record<string, number>
const longest = Object.keys(durations).sort((one, other) => durations[other]! - durations[one]!)

const found = globSync(everything, { cwd: root, exclude: ['**/node_modules'] }).sort()
const renamed = longest.filter((file) => !found.includes(file))
if (renamed.length > 0) throw new Error(`${recording} names files that are not there: ${renamed.join(', ')}`)

const leave = path.join(root, 'server', 'test', 'leave.ts')

const isThorough = process.env.FAULTS === 'all'
const provesMore = (file: string) => readFileSync(path.join(root, file), 'utf8').includes('FAULTS')
const isLong = (file: string) => file.endsWith('.long.test.ts')
const records = process.argv.includes('--record')
const wantsLong = process.argv.includes('--long')
const given = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const wanted =
  given.length > 0
    ? globSync(given, { cwd: root })
    : found.filter(isThorough ? provesMore : (file) => isLong(file) === wantsLong)
if (wanted.length === 0) throw new Error(`There is no ${given.join(', ')}.`)

// Many wait more than they work: for a lease, a pace, a database that is away.
const concurrency = Math.min(availableParallelism() + 3, 10)
// A file that hangs fails by its name, instead of blocking everything until someone looks.
const timeout = isThorough ? 4 * 3_600_000 : 20 * 60_000

// On from the first file that a process reads; the servers that acceptance starts turn it on themselves.
process.env.NODE_COMPILE_CACHE = path.join(root, 'node_modules', '.cache', 'compile')

// No load balancer is in front of the servers that tests start.
process.env.STOP_GRACE_SECONDS ??= '0'

// Which processes are its own: server/test/leave.ts.
process.env.SIGNALBOX_TEST_RUNNER = String(process.pid)

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
    // Processes that live for seconds: room for what they allocate at the start, and no thread for garbage collection.
    execArgv: [
      ...['--min-semi-space-size=16', '--single-threaded-gc'],
      ...['--import', path.join(root, 'server', 'quick-start.ts')],
      ...['--import', leave],
    ],
    timeout: 3 * timeout,
    signal: interrupted.signal,
  })
  const ends: string[] = []
  const printed: Record<string, string[]> = {}
  const note = ({ file, message }: { file?: string | undefined; message: string }) => {
    if (file) printed[file] = [...(printed[file] ?? []), message].slice(-mostLines)
  }
  tests.on('test:diagnostic', note)
  tests.on('test:stderr', note)
  tests.on('test:fail', ({ name, details }) => {
    process.exitCode = 1
    const { exitCode, signal } = details.error as { exitCode?: number | null; signal?: string | null }
    if (exitCode !== undefined)
      ends.push([`${name} ended with ${signal ?? exitCode}.`, ...(printed[name] ?? [])].join('\n'))
  })
  const took: Record<string, number> = {}
  tests.on('test:complete', ({ name, details }) => {
    const file = path.isAbsolute(name) ? path.relative(root, name) : name
    if (found.includes(file)) took[file] = Math.round(details.duration_ms / 1_000)
  })
  const report = tests.compose(spec)
  report.pipe(process.stdout)
  await finished(report)
  // The report says of a process that failed after its tests only that it did.
  if (ends.length > 0) process.stderr.write(`\n${ends.join('\n\n')}\n`)
  const recorded = longestOf({ ...durations, ...took })
  if (records) await writeFile(recording, `${JSON.stringify(recorded, null, 2)}\n`)
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
       import { readSeveral } from ${JSON.stringify(pathToFileURL(leave).href)}
       const end = readSeveral()
       for (const [name, url] of ${JSON.stringify(files.map((file) => [file, pathToFileURL(path.join(root, file)).href]))})
         await suite(name, { timeout: ${timeout} }, () => import(url))
       end()`,
    )
    return entry
  })
  const alone = [
    ...longest.filter((file) => wanted.includes(file)),
    ...wanted.filter((file) => isAlone(file) && !longest.includes(file)),
  ]
  const isLonger = (file: string) => (durations[file] ?? 0) >= togetherSeconds
  const inFull = (files: string[]) => files.map((file) => path.join(root, file))
  return [
    ...inFull(alone.filter(isLonger)),
    ...(await Promise.all(entries)),
    ...inFull(alone.filter((file) => !isLonger(file))),
  ]
}

/** Those worth a process of their own, the longest first. */
function longestOf(took: Record<string, number>): Record<string, number> {
  const long = Object.entries(took).filter(([, seconds]) => seconds >= 20)
  return Object.fromEntries(long.sort(([, one], [, other]) => other - one))
}

/** Into groups that are about as long. */
function split(files: string[]): string[][] {
  const groups = Math.max(Math.min(concurrency, files.length), Math.ceil(files.length / mostTogether))
  return Array.from({ length: groups }, (_, group) => files.filter((_, at) => at % groups === group))
}
