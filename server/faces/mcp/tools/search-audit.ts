import { AuditEntry, actorTypes, auditEvents } from '@signalbox/contract/audit.ts'
import { runKey, teamSlug } from '@signalbox/contract/keys.ts'
import { pageOf as pageShape } from '@signalbox/contract/page.ts'
import { oneOf } from '@signalbox/contract/shapes.ts'
import { listAudit } from '../../../domain/record/audit/list.ts'
import { optional, pageArguments, pageOf, reads, takes, text, tool } from '../calls/tool.ts'

const moment = (which: string) => optional(text(`${which}: YYYY-MM-DD or an ISO 8601 timestamp, UTC.`, 40))

export const searchAudit = tool({
  name: 'search_audit',
  title: 'Search the audit log',
  description:
    'Lists audit entries, newest first: who did what, when, through which channel, with which result. Narrow it by team, actor, event, run or time. Owners and admins only.',
  toolset: 'admin',
  hints: reads,
  input: takes({
    team: optional(teamSlug),
    actor: optional(oneOf(actorTypes, 'only what such an actor did')),
    event: optional(oneOf(auditEvents, 'only these')),
    run: optional(runKey),
    from: moment('First moment'),
    to: moment('Last moment'),
    ...pageArguments,
  }),
  output: pageShape(AuditEntry),
  outside: ['data.entity.name', 'data.details'],
  call: (call, input) => {
    const { limit: _, cursor: __, ...filter } = input
    return pageOf(call, 'search_audit', input, (page) => listAudit(call.ctx, filter, page))
  },
})
