import type { SenderKind } from '@signalbox/contract/signal.ts'
import type { SourceSettings } from './kinds.ts'
import { recipes } from './recipes.ts'

export interface Filled {
  url: string
  /** Null when it is not at hand: it is shown once. */
  secret: string | null
  settings: SourceSettings
}

/** A step's text with the address and the secret in their places. */
export const fill = (text: string, { url, secret }: Filled): string =>
  text
    .replaceAll('{url}', url)
    .replaceAll('{key}', `${url}?key=${secret ? encodeURIComponent(secret) : 'SECRET'}`)
    .replaceAll('{secret}', secret ?? 'SECRET')

const hmac = 'openssl dgst -sha256 -hmac "$SECRET" | sed \'s/^.* //\''
const send = (...more: string[]) =>
  ['curl -i -X POST "$URL" -H "Content-Type: application/json"', ...more, '--data-raw "$BODY"'].join(
    ' \\\n  ',
  )
const signed = (header: string, ...more: string[]) => [
  `SIGNATURE=$(printf '%s' "$BODY" | ${hmac})`,
  send(`-H "${header}$SIGNATURE"`, ...more),
]
/** With the time in front of what is signed. */
const timed = (time: string, separator: string, header: string) => [
  'NOW=$(date +%s)',
  `SIGNATURE=$(printf '%s${separator}%s' "$NOW" "$BODY" | ${hmac})`,
  send(`-H "${time}: $NOW"`, `-H "${header}$SIGNATURE"`),
]
const bearer = [send('-H "Authorization: Bearer $SECRET"')]
const keyed = [send().replace('"$URL"', '"$URL?key=$SECRET"')]

/** A contact point may name its headers itself. */
function grafana({ signatureHeader, timestampHeader }: SourceSettings): string[] {
  const header = `${signatureHeader ?? 'X-Grafana-Alerting-Signature'}: `
  return timestampHeader ? timed(String(timestampHeader), ':', header) : signed(header)
}

const proofs: Record<Exclude<SenderKind, 'grafana'>, string[]> = {
  generic: timed('X-Service-Timestamp', '.', 'X-Service-Signature: sha256='),
  pagerduty: signed('X-PagerDuty-Signature: v1='),
  sentry: signed('Sentry-Hook-Signature: ', '-H "Sentry-Hook-Resource: issue"'),
  alertmanager: bearer,
  datadog: bearer,
  newrelic: bearer,
  opsgenie: bearer,
  cloudwatch: [],
  azure_monitor: keyed,
  statuspage: keyed,
}

/** A command that sends a test by hand, proven as the sender proves itself. The secret stays in $SECRET. */
export function curlFor(kind: SenderKind, { url, secret, settings }: Filled): string | null {
  const { body } = recipes[kind]
  if (body === null) return null
  return [
    `URL='${url}'`,
    `SECRET='${secret ?? 'the secret of this source'}'`,
    `BODY='${body}'`,
    ...(kind === 'grafana' ? grafana(settings) : proofs[kind]),
  ].join('\n')
}
