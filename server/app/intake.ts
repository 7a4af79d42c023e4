import type { SenderKind } from '@signalbox/contract/signal.ts'
import { isCertificateUrl } from '../domain/on-call/senders/cloudwatch/sns/certificate-url.ts'
import { proofsWith } from '../domain/on-call/senders/index.ts'
import type { Proof } from '../domain/on-call/senders/proving/proof.ts'
import { Receiver } from '../domain/on-call/signals/receive.ts'
import { Refusals } from '../domain/on-call/signals/refusals.ts'
import type { Certificates } from '../domain/ports/certificates.ts'
import { type Uptime, uptimeFace } from '../faces/worker/uptime.ts'
import { httpsCertificates } from '../integrations/certificates/https.ts'
import { httpProbe } from '../integrations/probes/http.ts'
import type { Engine } from './engine.ts'
import type { Base, Part } from './parts.ts'

export interface Intake extends Part {
  proofs: Record<SenderKind, Proof>
  receiver: Receiver
  refusals: Refusals
  uptime: Uptime
}

/** What arrives from alerting tools, and what our own uptime checks find: written down, then told to the worker. */
export function startIntake(
  { config, clock, log, storage: { db } }: Base,
  { worker }: Engine,
  certificates: Certificates = httpsCertificates({ isAllowed: isCertificateUrl }),
): Intake {
  const receiver = new Receiver({ db, clock, onWritten: worker.handleSignals })
  const refusals = new Refusals({ db, clock })
  const uptime = uptimeFace({ db, clock, probe: httpProbe({ allow: config.uptimeAllow }), receiver, log })
  const stop = async () => {
    await uptime.stop()
    await refusals.write()
    await receiver.stop()
  }
  return { proofs: proofsWith(certificates), receiver, refusals, uptime, stop }
}
