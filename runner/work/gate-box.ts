import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { AnyOrder } from '@signalbox/contract/runner/messages.ts'
import type { Place, Room } from '../gates/execute.ts'
import { bringFetched } from '../gates/fetched.ts'
import { openConnectProxy } from '../gateway/connect-proxy.ts'
import type { OrderContext } from '../orders/order-context.ts'
import type { Workshop } from './workshop.ts'

/** Where the commands of a project run: in the box, without a model, without a credential, without the network. */
export async function withGateBox<T>(
  shop: Workshop,
  _order: AnyOrder,
  context: OrderContext,
  use: (room: Room) => Promise<T>,
): Promise<T> {
  const proxy = await openConnectProxy({ allow: shop.registries, folder: context.folder })
  // What is written for Node runs on the runner's own, wherever that is installed.
  const node = path.dirname(process.execPath)
  let places = 0
  try {
    return await use({
      box: shop.box,
      async inPlace(prepared, command) {
        const folder = path.join(context.folder, `place-${++places}`)
        const place: Place = { home: path.join(folder, 'home'), out: path.join(folder, 'out') }
        for (const made of [place.home, place.out!]) await mkdir(made, { recursive: true })
        try {
          if (prepared !== null) await bringFetched(shop.ownBox, prepared, place.home)
          return await command(place)
        } finally {
          await shop.trash.put(folder)
        }
      },
      limits: (worktree, { home, out }) => ({
        worktree,
        home,
        out,
        readable: [],
        tools: [node, ...shop.toolchains],
        denied: [],
        environment: { ...context.mark, PATH: [node, ...shop.toolchains].join(':') },
        gateway: null,
        network: 'none',
        proxy: proxy.socket,
      }),
      took: (gate, from, failed) => context.took({ type: 'gate', gate: gate.slice(0, 200), failed }, from),
      onLine: (line) => context.print(line),
      cancelled: context.cancelled,
    })
  } finally {
    if (proxy.refused.length > 0)
      context.print(`Not reached, because it is not a package registry: ${proxy.refused.join(', ')}.`)
    await proxy.close()
  }
}
