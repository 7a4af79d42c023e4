import { agentPrograms } from '@signalbox/contract/agent-programs.ts'
import type { Isolation } from '@signalbox/contract/runner/messages.ts'
import { visible, visibleJson } from '@signalbox/contract/visible.ts'
import type { Config } from './config.ts'
import type { TraceFields } from './orders/order-trace.ts'
import { type RunnerOptions, startRunner } from './runner.ts'

/** npm passes on a signal that the terminal has sent to everyone already: both together are one. */
const oneSignalMs = 500

/** Runs as this process: a signal drains it, a second one hands back what is left. Returns what to end with. */
export async function runAsProcess(config: Config, options: Omit<RunnerOptions, 'say'>): Promise<number> {
  // The server and agents have a say in it, and this may be a terminal.
  const say = (line: string, trace?: TraceFields) =>
    void process.stderr.write(
      config.json
        ? `${visibleJson(JSON.stringify({ time: new Date(), message: line, ...trace }))}\n`
        : `${visible(line)}${trace ? ` (trace_id=${trace.trace_id} span_id=${trace.span_id})` : ''}\n`,
    )
  if (options.executors.length === 0) say(noAgent)
  const warning = process.getuid?.() === 0 && rootWarning(options.isolation)
  if (warning) say(warning)
  const runner = startRunner(config, { ...options, say })
  let askedAt: number | null = null
  const leave = () => {
    if (askedAt === null) runner.drain()
    else if (performance.now() - askedAt > oneSignalMs) runner.handBack()
    askedAt ??= performance.now()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, leave)
  const watch = whenParentGoes(() => askedAt ?? leave())
  endWithParent(() => runner.handBack())
  const { exitCode, why } = await runner.ended
  watch.stop()
  if (why) say(why)
  return exitCode
}

/** It is connected and gets no work: what it looked for, and what to do. */
const noAgent = `No coding agent was found on the PATH, so this runner gets no work. It looked for ${agentPrograms.map(({ program }) => program).join(', ')}. Install one, for example with \`${agentPrograms[0].install}\`, and start the runner again.`

/** What it means that root has started this runner. */
export const rootWarning = ({ user }: Pick<Isolation, 'user'>): string =>
  user === 'dropped'
    ? 'Running as root: agents, gates and git run as another user, which owns nothing else here. The runner itself stays root; an ordinary user is safer.'
    : 'Running as root, and agents run as root too, because no other user can be used here. Use an ordinary user.'

/**
 * npm puts a shell between itself and us. A signal to npm ends that shell, which does not pass it on; that it is gone
 * is then all we learn. Without npm the parent may come and go as it likes.
 */
function whenParentGoes(leave: () => void): { stop(): void } {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.env.npm_lifecycle_event && process.ppid !== parent) leave()
  }, 250)
  return { stop: () => clearInterval(timer) }
}

/** A runner that belongs to a server goes with it, also when that was killed and could not say so. */
function endWithParent(end: () => void): void {
  const parent = Number(process.env.SIGNALBOX_RUNNER_PARENT)
  if (!parent) return
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    end()
  }, 500)
  timer.unref()
}
