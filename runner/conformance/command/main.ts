import {
  type Asked,
  type CommandLine,
  exitCodes,
  readArguments,
  usualOptions,
  writeAnswer,
} from '@signalbox/contract/command-line.ts'
import { visibleJson } from '@signalbox/contract/visible.ts'
import { version } from '../../version.ts'
import { checkLies, checkServer } from '../against-server.ts'
import { play } from '../play.ts'
import { processScenarios } from '../scenarios.ts'
import { playWork, type WorkPlayed } from '../work/play-work.ts'
import { workScenarios } from '../work/scenarios/all.ts'
import { printedTable, rowsOf } from '../work/table.ts'

const usage = `Usage: signalbox-runner-conformance --runner 'COMMAND' [--part process|work] [--only WORDS] [--pace 1]
       signalbox-runner-conformance --server URL --token tk_… [--part honest|lies] [--only WORDS]

--runner starts COMMAND and plays a server against it.
         process: with SERVICE_API_KEY, --url, --data and --slots, and a server that has faults. Its executor "scripted"
         follows the steps that stand in the description of the story after "rehearse".
         work: with --git-folders and --agents 'command=sh .kit/turn.sh' as well, a repository, a provider of models and an
         agent that wants out. What it registers is held against what got through. It takes git, perl and Linux.
         --pace 0.1 makes every second a tenth; a runner that can follow hears it as SIGNALBOX_RUNNER_PACE.
--server plays a runner against a server. honest: one run should wait for the agent "scripted". lies: a runner that lies;
         each uses a run up, so fifty should wait, which go on without a person. It takes git, and changes the repository.

${usualOptions}
Exit codes: 0 everything holds, 1 something does not, 2 wrong usage.
`

const line = {
  usage,
  options: {
    runner: { type: 'string' },
    part: { type: 'string' },
    only: { type: 'string', default: '' },
    pace: { type: 'string', default: '1' },
    server: { type: 'string' },
    token: { type: 'string' },
  },
  check({ values: { runner, server, token, pace, part } }) {
    if (!runner && !server) return 'Name what to play against: --runner COMMAND or --server URL.'
    if (server && !token) return '--token is missing: an API token of that server.'
    const parts = [...(runner ? ['process', 'work'] : []), ...(server ? ['honest', 'lies'] : [])]
    if (part !== undefined && !parts.includes(String(part))) return `--part takes ${parts.join(' or ')} here.`
    return Number(pace) > 0 && Number.isFinite(Number(pace)) ? null : '--pace takes a number above 0.'
  },
} as const satisfies CommandLine

interface Result {
  name: string
  breaches: string[]
  skipped?: string | null
  output?: string
}

const read = readArguments(process.argv.slice(2), line, version)
const json = !('answer' in read) && read.values.json
/** With --json, standard output is for the one value at the end. */
const print = (text: string) => void (json ? process.stderr : process.stdout).write(text)

function tell({ name, breaches, skipped, output }: Result): void {
  print(`${skipped ? 'skipped' : breaches.length === 0 ? 'ok     ' : 'FAILED '}  ${name}\n`)
  for (const breach of breaches) print(`           ${breach}\n`)
  if (breaches.length > 0 && output) print(output.replace(/^/gm, '           | ').concat('\n'))
}

interface Chosen {
  part: string | undefined
  only: string
  pace: number
}

async function checkRunner(runner: string, { part, only, pace }: Chosen): Promise<Result[]> {
  const results: Result[] = []
  const note = (result: Result) => {
    tell(result)
    results.push(result)
  }
  if (part !== 'work')
    for (const scenario of processScenarios.filter(({ name }) => name.includes(only)))
      note(await play(scenario, { runner, pace, patienceSeconds: 1_200 * pace + 60 }))
  if (part !== 'process') for (const result of await checkWork(runner, only, pace)) results.push(result)
  return results
}

/** What the runner does not claim is said to be so: it is neither held against it nor counted for it. */
async function checkWork(runner: string, only: string, pace: number): Promise<Result[]> {
  const all: WorkPlayed[] = []
  for (const scenario of workScenarios.filter(({ name, category }) => `${category} ${name}`.includes(only))) {
    const played = await playWork(scenario, { runner, pace, patienceSeconds: 180 })
    tell({ ...played, skipped: skippedBy(played) })
    for (const { name, result } of played.tried)
      if (result === 'not claimed') print(`           not claimed: ${name}\n`)
    all.push(played)
  }
  print(printedTable(rowsOf(all)))
  return all
}

const skippedBy = ({ tried, breaches }: WorkPlayed): string | null =>
  breaches.length === 0 && tried.length > 0 && tried.every(({ result }) => result === 'not claimed')
    ? 'The runner claims none of it.'
    : null

async function checkAll({
  runner,
  part,
  only,
  pace,
  server,
  token,
}: Asked<typeof line>['values']): Promise<number> {
  const results: Result[] = []
  if (runner) results.push(...(await checkRunner(runner, { part, only, pace: Number(pace) })))
  if (server && token) {
    const checked = [
      ...(part === 'lies' ? [] : await checkServer(server, token)),
      ...(part === 'honest' ? [] : await checkLies(server, token, only)),
    ]
    for (const result of checked) tell(result)
    const skipped = checked.find((result) => result.skipped)?.skipped
    if (skipped) print(`${skipped}\n`)
    results.push(...checked)
  }
  const failed = results.filter(({ breaches }) => breaches.length > 0).length
  print(`${results.length} played, ${failed} failed\n`)
  if (json)
    process.stdout.write(`${visibleJson(JSON.stringify({ played: results.length, failed, results }))}\n`)
  return failed > 0 ? exitCodes.failed : exitCodes.done
}

if ('answer' in read) writeAnswer(read.answer)
else
  try {
    process.exitCode = await checkAll(read.values)
  } catch (error) {
    const { message } = error as Error
    writeAnswer({ exitCode: exitCodes.failed, stdout: '', stderr: `${message}\n` })
  }
