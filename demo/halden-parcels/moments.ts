import { ines, tomasz } from '../actors.ts'
import type { DemoMoment } from '../script.ts'

/** What concerns no team alone. */
export const moments: DemoMoment[] = [
  {
    minutesAgo: 13_490,
    actor: ines,
    event: 'workspace_changed',
    entity: { type: 'workspace', id: 'halden-parcels', name: 'Halden Parcels (demo)' },
    details: { changes: [{ field: 'timeZone', before: 'UTC', after: 'Europe/Oslo' }] },
  },
  {
    minutesAgo: 6_510,
    actor: tomasz,
    event: 'token_revoked',
    entity: { type: 'token', id: 'tk_9fQ2LmZa', name: 'Runner build-02 (before reinstall)' },
    details: { prefix: 'tk_9fQ2LmZa', reason: 'The machine was reinstalled; its runner is offline.' },
  },
  {
    minutesAgo: 2_590,
    actor: tomasz,
    event: 'workspace_changed',
    entity: { type: 'workspace', id: 'halden-parcels', name: 'Halden Parcels (demo)' },
    details: {
      changes: [{ field: 'decisionReminderHours', before: 24, after: 8 }],
      reason: 'A decision expired unanswered.',
    },
  },
  {
    minutesAgo: 2_560,
    actor: tomasz,
    event: 'audit_exported',
    entity: { type: 'audit_export', id: 'export-0002', name: 'All teams, JSON' },
    details: { format: 'json', count: 512, truncated: false, from: null, to: null, filters: {} },
  },
]
