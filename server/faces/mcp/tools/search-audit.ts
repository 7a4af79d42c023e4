import { AuditEntry, actorTypes, auditEvents, auditResults } from '@signalbox/contract/audit.ts'
import { runKey, teamSlug } from '@signalbox/contract/keys.ts'
import { pageOf as pageShape } from '@signalbox/contract/page.ts'
import { type Of, oneOf, timestamp } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import { listAudit } from '../../../domain/record/audit/list.ts'
import { clipped, detail, optional, pageArguments, pageOf, reads, takes, text, tool } from '../calls/tool.ts'

const Summary = Type.Object({
  timestamp,
  event: Type.String(),
  actor: Type.String(),
  result: optional(oneOf(auditResults)),
  about: Type.String(),
  run: optional(runKey),
})

const summaryOf = ({ event, actor, result, entity, runKey: run, ...at }: AuditEntry): Of<typeof Summary> => ({
  timestamp: `${at.timestamp.slice(0, 19)}Z`,
  event,
  actor: clipped(actor.name),
  ...(result === 'success' ? {} : { result }),
  about: clipped(entity.name ?? entity.id),
  ...(run ? { run } : {}),
})

const moment = (which: string) => optional(text(`${which}: YYYY-MM-DD or an ISO 8601 timestamp, UTC.`, 40))

export const searchAudit = tool({
  name: 'search_audit',
  title: 'Search the audit log',
  description:
    'Lists audit entries, newest first: who did what, when, about what, and the result where it was not a success. Narrow it by team, actor, event, run or time. Months archived to files are not searched. detail full: channel, changes and the rest too. Owners and admins only.',
  toolset: 'admin',
  hints: reads,
  onReplica: true,
  input: takes({
    team: optional(teamSlug),
    actor: optional(oneOf(actorTypes, 'only what such an actor did')),
    event: optional(oneOf(auditEvents, 'only these')),
    run: optional(runKey),
    from: moment('First moment'),
    to: moment('Last moment'),
    detail,
    ...pageArguments,
  }),
  output: pageShape(Type.Union([Summary, AuditEntry])),
  outside: ['data.about', 'data.entity.name', 'data.details'],
  async call(call, { detail = 'summary', ...input }) {
    const { limit: _, cursor: __, ...filter } = input
    const page = await pageOf(call, 'search_audit', input, (request) => listAudit(call.ctx, filter, request))
    return detail === 'full' ? page : { ...page, data: page.data.map(summaryOf) }
  },
})
