import type { SenderKind } from '@signalbox/contract/signal.ts'
import { hmacSha256 } from '../../infra/signatures.ts'
import type { ProofSource } from './proving/proof.ts'

interface Signed {
  /** By their lower-case names. */
  headers?: Record<string, string>
  query?: Record<string, string>
}

type Signer = (request: {
  body: string
  secret: string
  settings: ProofSource['settings']
  at: Date
}) => Signed

const signature = (secret: string, text: string) => hmacSha256(secret, text).toString('hex')
const seconds = (at: Date) => String(Math.floor(at.getTime() / 1000))

const withBearer: Signer = ({ secret }) => ({ headers: { authorization: `Bearer ${secret}` } })
const withKey: Signer = ({ secret }) => ({ query: { key: secret } })

/**
 * How each kind of sender proves itself, from its own side. Of the cloud alarm service only the key: the signature
 * besides it is Amazon's, and nobody else can make it.
 */
export const signers: Record<SenderKind, Signer> = {
  generic({ secret, body, at }) {
    const timestamp = seconds(at)
    return {
      headers: {
        'x-service-timestamp': timestamp,
        'x-service-signature': `sha256=${signature(secret, `${timestamp}.${body}`)}`,
      },
    }
  },
  grafana({ secret, body, settings, at }) {
    const header = (settings.signatureHeader || 'X-Grafana-Alerting-Signature').toLowerCase()
    if (!settings.timestampHeader) return { headers: { [header]: signature(secret, body) } }
    const timestamp = seconds(at)
    return {
      headers: {
        [settings.timestampHeader.toLowerCase()]: timestamp,
        [header]: signature(secret, `${timestamp}:${body}`),
      },
    }
  },
  pagerduty: ({ secret, body }) => ({
    headers: { 'x-pagerduty-signature': `v1=${signature(secret, body)}` },
  }),
  sentry: ({ secret, body }) => ({ headers: { 'sentry-hook-signature': signature(secret, body) } }),
  alertmanager: withBearer,
  datadog: withBearer,
  newrelic: withBearer,
  opsgenie: withBearer,
  cloudwatch: withKey,
  azure_monitor: withKey,
  statuspage: withKey,
}
