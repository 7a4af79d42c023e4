import type { SourceKind } from '@signalbox/contract/source.ts'
import { DomainError } from '../../errors.ts'
import { senders } from '../senders/index.ts'
import { checkedUptime } from '../uptime/settings.ts'

/** Settings of a source as they can be kept. */
export function checkedSourceSettings(
  kind: SourceKind,
  settings: Record<string, unknown>,
): Record<string, unknown> {
  if (kind === 'uptime') return { ...checkedUptime(settings) }
  const possible = senders[kind].settings ?? []
  for (const [name, value] of Object.entries(settings)) {
    const setting = possible.find((one) => one.name === name)
    if (!setting) {
      const names = possible.map((one) => one.name)
      throw invalid(
        `a ${kind} source has no setting ${name}${names.length > 0 ? `; it has ${names.join(', ')}` : ''}`,
      )
    }
    if (!setting.holds(value)) throw invalid(`${name} must ${setting.must}`)
  }
  return settings
}

/** Only where alerts can be acknowledged and resolved; anywhere else they would be kept for nothing. */
export function checkCredentials(kind: SourceKind, credentials: string | null | undefined): void {
  if (credentials && (kind === 'uptime' || !senders[kind].recipe.credentials))
    throw invalid(`credentials are only for PagerDuty and Opsgenie sources`)
}

export const invalid = (complaint: string) =>
  new DomainError('invalid_request', `The source is not valid: ${complaint}.`)
