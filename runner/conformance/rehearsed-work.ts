import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrderContext, Work } from '../orders/order-context.ts'
import type { RehearsalStep } from './scenario.ts'
import { rehearsalOf } from './sketched-order.ts'

/** Work as a scenario writes it down, for tests of the process around it. */
export const rehearsedWork =
  (pace: number): Work =>
  async (order, context) => {
    context.phase('rehearsing')
    for (const step of rehearsalOf(order)) {
      context.cancelled.throwIfAborted()
      await play(step, context, pace)
    }
  }

async function play(step: RehearsalStep, context: OrderContext, pace: number): Promise<void> {
  if ('print' in step) await print(step.print, step.times ?? 1, context)
  else if ('printToken' in step) context.print(`found ${process.env.SERVICE_API_KEY} here`)
  else if ('report' in step) context.report(step.report)
  else if ('wait' in step) await rest(step.wait * pace, context.cancelled)
  else if ('ignoreCancel' in step) await rest(step.ignoreCancel * pace, context.aborted)
  else if ('leaveProcess' in step) leaveProcess(context)
  else if ('keep' in step) context.print(`kept ${await context.keep(Buffer.from(step.keep))}`)
  else if ('fetch' in step) await context.fetchFile(step.fetch)
  else if ('push' in step) await push(context)
  else if ('sameCall' in step) await sameCall(step.sameCall, context)
  else await silentTurn(context)
}

async function print(line: string, times: number, context: OrderContext): Promise<void> {
  for (let at = 1; at <= times; at += 1) {
    context.print(times === 1 ? line : `${at} ${line}`)
    if (at % 1_000 === 0) await sleep(0)
  }
}

async function rest(seconds: number, signal: AbortSignal): Promise<void> {
  await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined)
  signal.throwIfAborted()
}

function leaveProcess(context: OrderContext): void {
  const script = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', script], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, ...context.mark },
  })
  child.unref()
  context.print(`pid ${child.pid}`)
}

async function push(context: OrderContext): Promise<void> {
  context.phase('pushing')
  await context.mayPush()
  const { header } = await context.credential('write')
  context.print(`pushed with ${header}`)
}

async function sameCall(times: number, context: OrderContext): Promise<void> {
  const turn = context.watchTurn()
  for (let at = 0; at < times; at += 1) turn.onActivity('shell ls')
  turn.end()
  context.cancelled.throwIfAborted()
}

async function silentTurn(context: OrderContext): Promise<void> {
  context.watchTurn()
  await rest(3_600, context.cancelled)
}
