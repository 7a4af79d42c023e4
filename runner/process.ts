import type { Config } from './config.ts'
import { type RunnerOptions, startRunner } from './runner.ts'
import { Sentence } from './sentence.ts'

const nothingMeasured = {
  backend: null,
  version: null,
  environmentCleared: false,
  descendantsReaped: false,
  writesOutsideBlocked: false,
  deniedPathsBlocked: false,
  secretsUnreadable: false,
  networkOnlyToGateway: false,
}

/** Runs as this process: a signal drains it, a second one hands back what is left. Ends with the runner's exit code. */
export async function runUntilEnded(
  config: Config,
  equipment: Pick<RunnerOptions, 'work' | 'executors'> & Partial<RunnerOptions>,
): Promise<void> {
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  try {
    const runner = startRunner(config, { isolation: nothingMeasured, say, ...equipment })
    let isAsked = false
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (isAsked) runner.handBack()
        else runner.drain()
        isAsked = true
      })
    const { exitCode, why } = await runner.ended
    if (why) say(why)
    process.exit(exitCode)
  } catch (error) {
    say(error instanceof Sentence ? error.message : `${(error as Error).stack}`)
    process.exit(error instanceof Sentence ? error.exitCode : 1)
  }
}
