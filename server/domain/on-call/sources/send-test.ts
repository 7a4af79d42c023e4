import { fromJson } from '@signalbox/contract/shapes.ts'
import { testAlertTitle } from '@signalbox/contract/test-alert.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { requireRole } from '../../roles.ts'
import { senders } from '../senders/index.ts'
import type { Delivered } from '../senders/reading/reading.ts'
import type { Sender } from '../senders/sender/sender.ts'
import { readService } from '../services/read.ts'
import { type Checks, parseDelivery } from '../signals/parse-delivery.ts'
import type { Received, Receiver } from '../signals/receive.ts'
import { testFingerprint } from '../signals/test-marks.ts'
import { readSource } from './read.ts'
import type { Sources } from './registry.ts'

/** What deliveries go through. */
export interface Intake extends Omit<Checks, 'clock'> {
  sources: Pick<Sources, 'find'>
  receiver: Pick<Receiver, 'receive'>
}

/**
 * Sends a source an alert of its own kind, proven with its own secret, the way a real one arrives: problems with the
 * source show up, and no incident is opened unless asked for. Where only the sender can sign, the rest of the proof is
 * tried.
 */
export async function sendTestAlert(
  ctx: Context,
  intake: Intake,
  id: string,
  { opensIncident = false }: { opensIncident?: boolean } = {},
): Promise<Received> {
  requireRole(ctx, 'admin', 'send a test alert')
  const stored = fromJson(await readSource(ctx, id))
  if (stored.kind === 'uptime') throw new DomainError('conflict', 'Uptime checks don’t receive test alerts.')
  const source = await intake.sources.find(stored.token)
  if (!source) throw notFound('source', id)
  const service = stored.services[0] && fromJson(await readService(ctx, stored.services[0])).name
  const sender = senders[stored.kind]
  const delivered = delivery(sender, source.proof(ctx.clock.now()), service ?? 'test', ctx.clock.now())
  const { trial = intake.proofs[stored.kind] } = sender.proving.alone ?? {}
  const proofs = { ...intake.proofs, [stored.kind]: trial }
  const reading = await parseDelivery({ ...intake, proofs, clock: ctx.clock }, source, delivered)
  const alerts = reading.alerts.map((alert) => ({
    ...alert,
    // Places of the sample that do not exist.
    environment: null,
    links: [],
    ...(opensIncident ? { title: testAlertTitle, opensTest: true, status: 'firing' as const } : {}),
    ...(opensIncident ? { fingerprint: testFingerprint(ctx.clock.now()) } : {}),
    isTest: true,
  }))
  return intake.receiver.receive(source, { ...reading, alerts }, ctx)
}

function delivery(
  { sample, proving }: Sender,
  { secrets, settings }: { secrets: readonly string[]; settings: Readonly<Record<string, string>> },
  service: string,
  at: Date,
): Delivered {
  const made = sample({
    title: testAlertTitle,
    description: 'Sent from the source’s page to try it.',
    severity: 'critical',
    status: 'firing',
    service,
    at,
  })
  const body = JSON.stringify(made.body)
  const { headers, query } = proving.sign({ body, secret: secrets[0] ?? '', settings, at })
  return {
    body: Buffer.from(body),
    headers: { 'content-type': 'application/json', ...made.headers, ...headers },
    query: query ?? {},
  }
}
