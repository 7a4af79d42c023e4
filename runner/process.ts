import type { Config } from './config.ts'
import { type RunnerOptions, startRunner } from './runner.ts'

/** Runs as this process: a signal drains it, a second one hands back what is left. Returns what to end with. */
export async function runAsProcess(config: Config, options: Omit<RunnerOptions, 'say'>): Promise<number> {
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  if (process.getuid?.() === 0)
    say('Running as root: an agent that gets out of its box owns this machine. Use an ordinary user.')
  const runner = startRunner(config, { ...options, say })
  let isAsked = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (isAsked) runner.handBack()
      else runner.drain()
      isAsked = true
    })
  const { exitCode, why } = await runner.ended
  if (why) say(why)
  return exitCode
}
