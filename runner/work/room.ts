import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import type { Room } from '../gates/execute.ts'
import { openPassage } from '../gateway/passage.ts'
import type { Hands } from '../orders/hands.ts'
import type { Workshop } from './workshop.ts'

/** Where the commands of a project run: in the box, without a model, without a credential, without the network. */
export async function withRoom<T>(
  shop: Workshop,
  _order: Order,
  hands: Hands,
  use: (room: Room) => Promise<T>,
): Promise<T> {
  const [home, out] = ['gates-home', 'gates-out'].map((name) => path.join(hands.folder, name))
  for (const folder of [home!, out!]) await mkdir(folder, { recursive: true })
  const proxy = await openPassage({ allow: shop.registries, folder: hands.folder })
  // What is written for Node runs on the runner's own, wherever that is installed.
  const node = path.dirname(process.execPath)
  try {
    return await use({
      box: shop.box,
      limits: (worktree) => ({
        worktree,
        home: home!,
        out: out!,
        readable: [node, ...shop.toolchains],
        denied: [],
        environment: { ...hands.mark, PATH: [node, ...shop.toolchains].join(':') },
        gateway: null,
        network: 'none',
        proxy: proxy.socket,
      }),
      hear: (line) => hands.print(line),
      cancelled: hands.cancelled,
    })
  } finally {
    if (proxy.refused.length > 0)
      hands.print(`Not reached, because it is not a package registry: ${proxy.refused.join(', ')}.`)
    await proxy.close()
  }
}
