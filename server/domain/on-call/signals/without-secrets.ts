import type { Alert } from '@signalbox/contract/signal.ts'
import type { ReadAlert } from '../senders/reading/reading.ts'

const secretName = /secret|token|passw|authorization|credential|api[-_]?key|^key$|signature/i
const inText =
  /\b(bearer|basic)\s+[\w.~+/=-]{8,}|((?:secret|token|password|api[-_]?key|key)\s*[=:]\s*)[^\s&"',;]{4,}/gi
const hidden = '[hidden]'

/** An alert as it can be shown: what senders put into it is theirs, and now and then a secret is among it. */
export function withoutSecrets(alert: ReadAlert): Alert {
  const { title, status, severity, fingerprint, service, environment, startedAt, endedAt } = alert
  // Deliveries from before there were any have none.
  const { cuts = [] } = alert
  return {
    ...{ title: clean(title), status, severity, fingerprint, service, environment, startedAt, endedAt, cuts },
    description: alert.description && clean(alert.description),
    labels: Object.fromEntries(
      Object.entries(alert.labels).map(([name, value]) => [
        name,
        secretName.test(name) ? hidden : clean(value),
      ]),
    ),
    links: alert.links.map(({ label, url }) => ({ label, url: cleanAddress(url) })),
  }
}

const clean = (text: string) =>
  text.replaceAll(inText, (_, scheme?: string, name?: string) =>
    scheme ? `${scheme} ${hidden}` : `${name}${hidden}`,
  )

function cleanAddress(address: string): string {
  const url = URL.parse(address)
  if (!url) return address
  url.username = ''
  url.password = ''
  for (const name of [...url.searchParams.keys()])
    if (secretName.test(name)) url.searchParams.set(name, hidden)
  return url.href
}
