import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hands, Work } from '../orders/hands.ts'
import type { RehearsalStep } from './scenario.ts'
import { rehearsalOf } from './sketched-order.ts'

/** Work as a scenario writes it down, for tests of the process around it. */
export const rehearsedWork =
  (pace: number): Work =>
  async (order, hands) => {
    hands.phase('rehearsing')
    for (const step of rehearsalOf(order)) {
      hands.cancelled.throwIfAborted()
      await play(step, hands, pace)
    }
  }

async function play(step: RehearsalStep, hands: Hands, pace: number): Promise<void> {
  if ('print' in step) await print(step.print, step.times ?? 1, hands)
  else if ('printToken' in step) hands.print(`found ${process.env.SERVICE_API_KEY} here`)
  else if ('report' in step) hands.report(step.report)
  else if ('wait' in step) await rest(step.wait * pace, hands.cancelled)
  else if ('ignoreCancel' in step) await rest(step.ignoreCancel * pace, hands.aborted)
  else if ('leaveProcess' in step) leaveProcess(hands)
  else if ('keep' in step) hands.print(`kept ${await hands.keep(Buffer.from(step.keep))}`)
  else if ('fetch' in step) await hands.fetchFile(step.fetch)
  else if ('push' in step) await push(hands)
  else if ('sameCall' in step) await sameCall(step.sameCall, hands)
  else await silentTurn(hands)
}

async function print(line: string, times: number, hands: Hands): Promise<void> {
  for (let at = 1; at <= times; at += 1) {
    hands.print(times === 1 ? line : `${at} ${line}`)
    if (at % 1_000 === 0) await sleep(0)
  }
}

async function rest(seconds: number, signal: AbortSignal): Promise<void> {
  await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined)
  signal.throwIfAborted()
}

function leaveProcess(hands: Hands): void {
  const script = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', script], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, ...hands.mark },
  })
  child.unref()
  hands.print(`pid ${child.pid}`)
}

async function push(hands: Hands): Promise<void> {
  hands.phase('pushing')
  await hands.mayPush()
  const { header } = await hands.credential('write')
  hands.print(`pushed with ${header}`)
}

async function sameCall(times: number, hands: Hands): Promise<void> {
  const turn = hands.watchTurn()
  for (let at = 0; at < times; at += 1) turn.heard('shell ls')
  turn.end()
  hands.cancelled.throwIfAborted()
}

async function silentTurn(hands: Hands): Promise<void> {
  hands.watchTurn()
  await rest(3_600, hands.cancelled)
}
