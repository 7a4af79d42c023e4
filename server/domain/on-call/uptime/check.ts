import { trimEnd } from '@signalbox/contract/trim-end.ts'
import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import type { Probe, Probed } from '../../ports/probe.ts'
import { housekeeping } from '../../record/audit/change.ts'
import type { ReadAlert, Reading } from '../senders/reading/reading.ts'
import type { Receiver } from '../signals/receive.ts'
import type { UptimeCheck } from './settings.ts'
import { markSignalled, saveUptime, type TakenCheck, type UptimeState } from './store.ts'

/** How checks look outside, and where they report it. */
export interface Watch {
  probe: Probe
  receiver: Pick<Receiver, 'receive'>
  /** Gives the check up; it is taken again when it is due. */
  signal: AbortSignal
}

/**
 * Runs one check that this node has taken. When it starts failing for good, and when it recovers, that goes to the
 * intake like a delivery, and so becomes alerts and incidents like any other.
 *
 * The result is recorded as untold before it is told. If the node dies in between, the next check tells it, under the
 * same id while it still holds, so that it counts once.
 */
export async function checkUptime(
  { db, clock }: { db: Db; clock: Clock },
  taken: TakenCheck,
  { probe, receiver, signal }: Watch,
): Promise<void> {
  const { check, source, takenAt } = taken
  const { url, timeoutSeconds, statuses } = check
  const probed = await probe.get({ url, timeoutMs: timeoutSeconds * 1_000, expected: statuses }, signal)
  const at = clock.now()
  const fault = faultIn(check, probed)
  const state = next(taken.state, check, fault === null, at)
  const dueAt = new Date(takenAt.getTime() + check.intervalSeconds * 1_000)
  const nextAt = dueAt > at ? dueAt : at
  const isOurs = await housekeeping(db, 'note what an uptime check found', (tx) =>
    saveUptime(tx, source.workspaceId, taken, { ...state, nextAt, at, error: fault }),
  )
  if (!isOurs || state.signalled) return
  await receiver.receive(
    { ...source, kind: 'uptime', paused: false, proof: () => ({ secrets: [], settings: {} }) },
    readingOf(taken, state, at, fault),
  )
  await housekeeping(db, 'note that an uptime check was reported', (tx) =>
    markSignalled(tx, source.workspaceId, source.id, state.changedAt),
  )
}

/** Why the answer does not count as up; null when it does. */
function faultIn({ statuses, text }: UptimeCheck, probed: Probed): string | null {
  if ('problem' in probed) return probed.problem
  if (!statuses.includes(probed.status)) return `status ${probed.status}`
  if (text !== null && !probed.body.includes(text))
    return `status ${probed.status}, and the body does not contain the text`
  return null
}

function next(state: UptimeState, check: UptimeCheck, isGood: boolean, at: Date): UptimeState {
  const failures = isGood ? 0 : state.failures + 1
  const failingSince = isGood ? null : (state.failingSince ?? at)
  // What is down stays so until a check is good, even if more failures are asked for since.
  const isDown = !isGood && (state.status === 'down' || failures >= check.failures)
  const status = isDown ? 'down' : 'up'
  if (status === state.status) return { ...state, failures, failingSince }
  return { status, changedAt: at, signalled: false, failures, failingSince }
}

function readingOf(taken: TakenCheck, state: UptimeState, at: Date, fault: string | null): Reading {
  return {
    alerts: [alertOf(taken, state, at, fault)],
    test: false,
    problem: null,
    deliveryId: `${state.status} since ${state.changedAt.toISOString()}`,
    handshake: null,
  }
}

function alertOf(
  { source, check }: TakenCheck,
  state: UptimeState,
  at: Date,
  fault: string | null,
): ReadAlert {
  const isDown = state.status === 'down'
  const { origin, pathname, hostname } = new URL(check.url)
  return {
    title: `${source.name} is down`,
    status: isDown ? 'firing' : 'resolved',
    severity: 'critical',
    fingerprint: source.id,
    service: null,
    environment: null,
    description: isDown
      ? `Expected: ${expectation(check)}.\nFound: ${trimEnd(fault ?? '', '.')}. ${state.failures} ${state.failures === 1 ? 'failure' : 'failures'} in a row.`
      : `It responds as expected again: ${expectation(check)}.`,
    startedAt: isDown ? (state.failingSince ?? at).toISOString() : null,
    endedAt: isDown ? null : at.toISOString(),
    labels: { host: hostname },
    // Without its query, which may hold a key.
    links: [{ label: 'Checked URL', url: origin + pathname }],
    severityGiven: true,
    occurredAt: at.toISOString(),
    updateOnly: false,
    isTest: false,
    cuts: [],
    senderId: null,
  }
}

const expectation = ({ statuses, text, timeoutSeconds }: UptimeCheck): string =>
  [
    `status ${statuses.join(' or ')}`,
    ...(text === null ? [] : [`a body that contains “${text}”`]),
    `within ${timeoutSeconds} seconds`,
  ].join(', ')
