import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Isolation } from '@signalbox/contract/runner/messages.ts'
import type { Box, Boxed, Limits } from './box.ts'
import { environmentOf } from './environment.ts'
import { handOver } from './hand-over.ts'
import { launchCommand } from './launch.ts'
import type { Owner } from './owner.ts'

const marker = 'SIGNALBOX_BOX'

/**
 * Where there is nothing better: an environment of its own, and what it has started is ended with it. `prefix` is what
 * the system offers for that, tried before; without it children are found by a variable that they inherit. Hygiene, not
 * a boundary: it says so in what it registers.
 */
export class Bare implements Box {
  readonly isolation: Isolation
  readonly owner: Owner | null
  readonly #prefix: string[]

  constructor(isolation: Isolation, prefix: string[], owner: Owner | null = null) {
    this.isolation = isolation
    this.owner = owner
    this.#prefix = prefix
  }

  start(command: string[], limits: Limits): Boxed {
    // What an image has in the place of the machine's programs would not be in their place here.
    if (limits.image) throw new Error('There is no image without a box.')
    const mark = randomUUID()
    const shown = [...limits.readable, ...(limits.programs ?? []), ...(limits.tools ?? [])]
    if (this.owner) handOver(this.owner, limits)
    const [program, ...args] = launchCommand([...this.#prefix, ...command], {
      ...{ keyctl: false, owner: this.owner, cgroups: limits.cgroups ?? [], sources: [] },
    })
    const child = spawn(program!, args, {
      cwd: limits.worktree,
      env: { ...environmentOf(limits.home, limits.environment, shown), [marker]: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
      child.once('error', () => resolve({ code: 127, signal: null }))
      child.once('exit', (code, signal) => resolve({ code, signal }))
    })
    const ended = exit.then(async (result) => {
      await endDescendants(child.pid, mark)
      return result
    })
    const end = async (graceMs: number) => {
      signalGroup(child.pid, 'SIGTERM')
      const timer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs)
      await ended
      clearTimeout(timer)
    }
    const pid = Promise.resolve(child.pid ?? null)
    return {
      stdin: child.stdin.on('error', () => {}),
      stdout: child.stdout,
      stderr: child.stderr,
      pid,
      ended,
      end,
    }
  }

  inside(file: string): string {
    return file
  }

  gatewayUrl({ url }: { url: string }): string {
    return url
  }
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // Gone already.
  }
}

async function endDescendants(pid: number | undefined, mark: string): Promise<void> {
  signalGroup(pid, 'SIGKILL')
  for (let found = marked(mark); found.length > 0; found = marked(mark)) {
    for (const each of found) {
      try {
        process.kill(each, 'SIGKILL')
      } catch {
        // Gone already.
      }
    }
    await pause(5)
  }
}

/** Those that left the process group are still to be known by what they inherited. */
function marked(mark: string): number[] {
  const wanted = `${marker}=${mark}`
  let pids: string[]
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
  return pids
    .filter((pid) => {
      try {
        // A zombie has an empty environment.
        return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(wanted)
      } catch {
        return false
      }
    })
    .map(Number)
}
