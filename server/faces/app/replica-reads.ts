import type { Reads } from '@signalbox/contract/app/index.ts'

/**
 * Reads that a replica may answer: lists, search, exports and insights. All others come from the primary: what someone
 * decides by (decisions, policies), what lets someone in (tokens, members, runners), and single things, which cost little.
 */
const names = [
  'audit.list',
  'audit.count',
  'audit.export',
  'connections.deliveries',
  'incidents.list',
  'incidents.count',
  'incidents.activity',
  'insights.spend',
  'insights.runs',
  'insights.waiting',
  'insights.rework',
  'insights.scoreboard',
  'requirements.list',
  'runs.list',
  'services.list',
  'services.activity',
  'services.uptime',
  'sources.deliveries',
  'sources.alerts',
  'stories.board',
  'stories.list',
  'teams.list',
  'webhooks.messages',
  'workspaces.search',
] as const satisfies readonly (keyof Reads)[]

export const replicaReads: ReadonlySet<string> = new Set(names)
