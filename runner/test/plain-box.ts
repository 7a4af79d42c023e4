import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Box, Boxed, Limits } from '../box/box.ts'
import type { Room } from '../gates/execute.ts'

/** A box that holds nothing: a process and its group. */
export const plainBox: Box = {
  isolation: {
    backend: null,
    version: null,
    environmentCleared: true,
    descendantsReaped: false,
    writesOutsideBlocked: false,
    deniedPathsBlocked: false,
    secretsUnreadable: false,
    networkOnlyToGateway: false,
  },
  start([command, ...args], limits): Boxed {
    const child = spawn(command!, args, { cwd: limits.worktree, env: limits.environment, detached: true })
    // It closes when the last of those that hold its output is gone.
    const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => resolve({ code, signal }))
    })
    const signal = (name: NodeJS.Signals) => {
      try {
        process.kill(-child.pid!, name)
      } catch {}
    }
    return {
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr,
      ended,
      async end(graceMs) {
        signal('SIGTERM')
        const timer = setTimeout(() => signal('SIGKILL'), graceMs)
        await ended
        clearTimeout(timer)
      },
    }
  },
  inside: (file) => file,
}

export function plainRoom(folder: string, more: Partial<Room> & { used?: Limits[] } = {}): Room {
  const home = path.join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const { used, ...rest } = more
  return {
    box: {
      ...plainBox,
      start(command, limits) {
        used?.push(limits)
        return plainBox.start(command, limits)
      },
    },
    limits: (worktree) => ({
      worktree,
      home,
      out: null,
      readable: [],
      denied: [],
      environment: { PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`, HOME: home },
      gateway: '/model.sock',
      network: 'registries',
      proxy: '/proxy.sock',
    }),
    ...rest,
  }
}
