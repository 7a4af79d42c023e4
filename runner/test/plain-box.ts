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
  let places = 0
  const { used, ...rest } = more
  return {
    box: new (class extends Bare {
      override start(command: string[], limits: Limits) {
        used?.push(limits)
        return super.start(command, limits)
      }
    })(plainBox().isolation, []),
    inPlace(_prepared, use) {
      const home = path.join(folder, `home-${++places}`)
      mkdirSync(home, { recursive: true })
      return use({ home, out: null })
    },
    limits: (worktree, { home, out }) => ({
      worktree,
      home,
      out,
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
