import { parseArgs } from 'node:util'
import { checkServer } from './against-server.ts'
import { play } from './play.ts'
import { processScenarios, workScenarios } from './scenarios.ts'

const usage = `Usage: signalbox-runner-conformance --runner 'COMMAND' [--only WORDS] [--pace 1]
       signalbox-runner-conformance --server URL --token tk_…

--runner starts COMMAND with SERVICE_API_KEY, --url, --data and --slots, and plays a server with faults against it.
         Its executor "scripted" follows the steps that stand in the description of the story after "rehearse".
         --pace 0.1 makes every second a tenth; a runner that can follow hears it as SIGNALBOX_RUNNER_PACE.
--server plays a runner against a server. One run should wait for the agent "scripted".
`

interface Result {
  name: string
  breaches: string[]
  skipped?: string | null
  output?: string
}

const print = (text: string) => void process.stdout.write(text)

function tell({ name, breaches, skipped, output }: Result): void {
  print(`${skipped ? 'skipped' : breaches.length === 0 ? 'ok     ' : 'FAILED '}  ${name}\n`)
  for (const breach of breaches) print(`           ${breach}\n`)
  if (breaches.length > 0 && output) print(output.replace(/^/gm, '           | ').concat('\n'))
}

async function checkRunner(
  runner: string,
  { only, pace }: { only: string; pace: number },
): Promise<Result[]> {
  const results: Result[] = []
  for (const scenario of [...processScenarios, ...workScenarios]) {
    if (!scenario.name.includes(only)) continue
    const result = await play(scenario, { runner, pace, patienceSeconds: 1_200 * pace + 60 })
    tell(result)
    results.push(result)
  }
  return results
}

try {
  const { values } = parseArgs({
    options: {
      runner: { type: 'string' },
      only: { type: 'string', default: '' },
      pace: { type: 'string', default: '1' },
      server: { type: 'string' },
      token: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const { runner, only, server, token, pace, help } = values
  let results: Result[] | null = null
  if (runner) results = await checkRunner(runner, { only, pace: Number(pace) })
  if (server && token) {
    results = await checkServer(server, token)
    for (const result of results) tell(result)
    const skipped = results.find((result) => result.skipped)?.skipped
    if (skipped) print(`${skipped}\n`)
  }
  if (!results) print(usage)
  const failed = results?.filter(({ breaches }) => breaches.length > 0).length ?? 0
  if (results) print(`${results.length} played, ${failed} failed\n`)
  process.exitCode = results === null ? (help ? 0 : 2) : failed > 0 ? 1 : 0
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${usage}`)
  process.exitCode = 2
}
