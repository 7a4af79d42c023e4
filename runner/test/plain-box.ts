import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Isolation } from '@signalbox/contract/runner/messages.ts'
import { Bare } from '../box/bare.ts'
import type { Limits } from '../box/box.ts'
import { unmeasured } from '../box/unmeasured.ts'
import type { Room } from '../gates/execute.ts'

/** What there is without any box, whatever this machine could offer. */
export const plainBox = (isolation: Partial<Isolation> = {}): Bare =>
  new Bare({ ...unmeasured, environmentCleared: true, descendantsReaped: true, ...isolation }, [])

export function plainRoom(folder: string, more: Partial<Room> & { used?: Limits[] } = {}): Room {
  const home = path.join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const { used, ...rest } = more
  return {
    box: new (class extends Bare {
      override start(command: string[], limits: Limits) {
        used?.push(limits)
        return super.start(command, limits)
      }
    })(plainBox().isolation, []),
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
