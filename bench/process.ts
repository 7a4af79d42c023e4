import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'

export interface Started {
  child: ChildProcess
  line: string
  stop(): Promise<void>
}

/** Starts a script of ours and waits for its first line. */
export async function start(
  args: string[],
  environment: Record<string, string> = {},
  input?: string,
): Promise<Started> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'inherit'],
  })
  // A bench that breaks off leaves nothing running behind.
  const end = () => child.kill()
  process.on('exit', end)
  child.on('exit', () => process.off('exit', end))
  child.stdin?.end(input)
  let line = ''
  while (!line.includes('\n')) {
    const [chunk] = await once(child.stdout!, 'data')
    line += chunk
  }
  return {
    child,
    line: line.trim(),
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Resident memory, where the system tells it. */
export async function residentMegabytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1]
  return kilobytes ? Number(kilobytes) / 1024 : null
}

/** Time on a processor, with that of children which have ended, where the system tells it. */
export async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name, in brackets, may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticksPerSecond = 100
  return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0) / ticksPerSecond
}

/** The same of a process and all that it has started and that still run, such as the sessions of a PostgreSQL. */
export async function processorSecondsOfAll(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const pids = [pid, ...children.split(' ').filter(Boolean).map(Number)]
  return (await Promise.all(pids.map(processorSeconds))).reduce((sum, one) => sum + one, 0)
}
