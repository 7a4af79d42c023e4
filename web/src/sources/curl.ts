import type { SenderKind } from '@signalbox/contract/signal.ts'
import { recipes } from './recipes.ts'

export interface Filled {
  url: string
  /** Null when it is not at hand: it is shown once. */
  secret: string | null
}

/** A step's text with the address and the secret in their places. */
export const fill = (text: string, { url, secret }: Filled): string =>
  text
    .replaceAll('{url}', url)
    .replaceAll('{key}', `${url}?key=${secret ? encodeURIComponent(secret) : 'SECRET'}`)
    .replaceAll('{secret}', secret ?? 'SECRET')

const hmac = 'openssl dgst -sha256 -hmac "$SECRET" | sed \'s/^.* //\''
const send = (...more: string[]) =>
  ['curl -X POST "$URL" -H "Content-Type: application/json"', ...more, '--data-raw "$BODY"'].join(' \\\n  ')
const signed = (header: string) => [
  `SIGNATURE=$(printf '%s' "$BODY" | ${hmac})`,
  send(`-H "${header}$SIGNATURE"`),
]
const bearer = [send('-H "Authorization: Bearer $SECRET"')]
const keyed = [send().replace('"$URL"', '"$URL?key=$SECRET"')]

const proofs: Record<SenderKind, string[]> = {
  generic: [
    'NOW=$(date +%s)',
    `SIGNATURE=$(printf '%s.%s' "$NOW" "$BODY" | ${hmac})`,
    send('-H "X-Service-Timestamp: $NOW"', '-H "X-Service-Signature: sha256=$SIGNATURE"'),
  ],
  grafana: signed('X-Grafana-Alerting-Signature: '),
  pagerduty: signed('X-PagerDuty-Signature: v1='),
  sentry: [
    ...signed('Sentry-Hook-Signature: ').map((line) =>
      line.replace('--data-raw', '-H "Sentry-Hook-Resource: issue" \\\n  --data-raw'),
    ),
  ],
  alertmanager: bearer,
  datadog: bearer,
  newrelic: bearer,
  opsgenie: bearer,
  cloudwatch: [],
  azure_monitor: keyed,
  statuspage: keyed,
}

/** A command that sends a test by hand, proven as the sender proves itself. The secret stays in $SECRET. */
export function curlFor(kind: SenderKind, { url, secret }: Filled): string | null {
  const { body } = recipes[kind]
  if (body === null) return null
  return [
    `URL='${url}'`,
    `SECRET='${secret ?? 'the secret of this source'}'`,
    `BODY='${body}'`,
    ...proofs[kind],
  ].join('\n')
}
