import type { SourceKind } from '@signalbox/contract/source.ts'
import { DomainError } from '../errors.ts'
import { readTopic } from '../senders/cloudwatch/sns/topic.ts'
import { checkedUptime } from '../uptime/settings.ts'

/** What a person may say of a source's sender, by kind: names of settings and what they must be. */
const headerName = /^[A-Za-z][A-Za-z0-9-]{0,63}$/
const isHeader = (value: unknown) => typeof value === 'string' && headerName.test(value)

const known: Partial<
  Record<SourceKind, Record<string, { holds: (value: unknown) => boolean; must: string }>>
> = {
  generic: {
    timestamp: { holds: (value) => value === 'required', must: 'be "required", or be left out' },
  },
  grafana: {
    signatureHeader: { holds: isHeader, must: 'be the name of a header' },
    timestampHeader: { holds: isHeader, must: 'be the name of a header' },
  },
  cloudwatch: {
    topicArn: {
      holds: (value) => typeof value === 'string' && readTopic(value) !== null,
      must: 'be an ARN like arn:aws:sns:eu-west-1:123456789012:alarms',
    },
  },
  pagerduty: {
    from: { holds: isMail, must: 'be the e-mail address of a user of the account' },
    api: {
      holds: (value) => value === 'https://api.pagerduty.com' || value === 'https://api.eu.pagerduty.com',
      must: 'be https://api.pagerduty.com or https://api.eu.pagerduty.com',
    },
  },
  opsgenie: {
    api: {
      holds: (value) =>
        value === 'https://api.opsgenie.com' ||
        value === 'https://api.eu.opsgenie.com' ||
        value === 'https://api.atlassian.com/jsm/ops/integration',
      must: 'be https://api.opsgenie.com, https://api.eu.opsgenie.com or https://api.atlassian.com/jsm/ops/integration',
    },
  },
}

function isMail(value: unknown): boolean {
  return typeof value === 'string' && /^[^\s@]{1,64}@[^\s@]{1,190}$/.test(value)
}

/** Settings of a source as they can be kept. */
export function checkedSourceSettings(
  kind: SourceKind,
  settings: Record<string, unknown>,
): Record<string, unknown> {
  if (kind === 'uptime') return { ...checkedUptime(settings) }
  const possible = known[kind] ?? {}
  for (const [name, value] of Object.entries(settings)) {
    const setting = Object.hasOwn(possible, name) ? possible[name] : undefined
    if (!setting) {
      const names = Object.keys(possible)
      throw invalid(
        `a ${kind} source has no setting ${name}${names.length > 0 ? `; it has ${names.join(', ')}` : ''}`,
      )
    }
    if (!setting.holds(value)) throw invalid(`${name} must ${setting.must}`)
  }
  return settings
}

export const invalid = (complaint: string) =>
  new DomainError('invalid_request', `The source is not possible: ${complaint}.`)
