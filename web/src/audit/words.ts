import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { Bot, CircleCheck, CircleSlash, CircleX, Cog, type LucideIcon, User } from 'lucide-react'
import { grouped } from '../browser/formats.ts'
import type { Look } from '../ui/badge.tsx'

type ActorType = AuditEntry['actor']['type']

export const actors: Record<ActorType, { icon: LucideIcon; word: string }> = {
  human: { icon: User, word: 'Person' },
  service: { icon: Bot, word: 'Signalbox' },
  system: { icon: Cog, word: 'System' },
}

export const results: Record<AuditEntry['result'], Look> = {
  success: { tone: 'ok', icon: CircleCheck, word: 'Success' },
  failure: { tone: 'danger', icon: CircleX, word: 'Failure' },
  denied: { tone: 'warn', icon: CircleSlash, word: 'Denied' },
}

/** Through which way in it was done. */
const channels: Record<string, string> = {
  app: 'in the app',
  api: 'over the REST API',
  mcp: 'over MCP',
  slack: 'in Slack',
  intake: 'by webhook',
  runner: 'by a runner',
  scim: 'over SCIM',
  operator: 'on the server',
  schedule: 'on a schedule',
}

export const channelOf = ({ channel }: AuditEntry['details']): string =>
  typeof channel === 'string' ? (channels[channel] ?? channel) : ''

export const many = (count: number): string => grouped(count)
