import type { Context } from '../../domain/context.ts'
import { checkUptime, type Watch } from '../../domain/on-call/uptime/check.ts'
import { dueChecks, type TakenCheck } from '../../domain/on-call/uptime/due.ts'
import type { Logger } from '../../infra/log.ts'

export interface UptimeServices extends Pick<Context, 'db' | 'clock'>, Omit<Watch, 'signal'> {
  log: Logger
}

export interface Uptime {
  /** To be called about once a second. */
  look(): Promise<void>
  stop(): Promise<void>
}

/** The most checks that one node does at the same time. */
const most = 50

/** Does the uptime checks that are due. A slow one keeps no other waiting. */
export function uptimeFace({ db, clock, probe, receiver, log }: UptimeServices): Uptime {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = new Set<Promise<void>>()
  const start = (taken: TakenCheck) => {
    const work: Promise<void> = checkUptime({ db, clock }, taken, { probe, receiver, signal })
      .catch((error) => {
        if (!signal.aborted) log.warn({ err: error, source: taken.source.id }, 'an uptime check failed')
      })
      .finally(() => running.delete(work))
    running.add(work)
  }
  return {
    async look() {
      if (signal.aborted || running.size >= most) return
      for (const taken of await dueChecks({ db, clock }, most - running.size)) start(taken)
    },
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
