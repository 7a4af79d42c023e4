import { dictionary } from '@signalbox/contract/dictionary.ts'
import { type SenderKind, senderKinds } from '@signalbox/contract/signal.ts'

/** How a delivery of alerts is described on the command line. Null: it is not understood. */

/** `azure-monitor` is `azure_monitor`, and alarms come through SNS. */
export function kindFrom(word: string): SenderKind | null {
  const name = word
    .trim()
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^cloudwatch_sns$/, 'cloudwatch')
  return senderKinds.find((kind) => kind === name || kind.replaceAll('_', '') === name) ?? null
}

export function headersFrom(lines: readonly string[]): Record<string, string> | null {
  const headers: Record<string, string> = dictionary()
  for (const text of lines) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):(.*)$/s.exec(text) ?? []
    if (name === undefined || value === undefined) return null
    headers[name.toLowerCase()] = value.trim()
  }
  return headers
}
