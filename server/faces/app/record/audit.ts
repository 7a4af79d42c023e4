import type { reads, writes } from '@signalbox/contract/app/audit.ts'
import { countAudit } from '../../../domain/record/audit/count.ts'
import { listAudit } from '../../../domain/record/audit/list.ts'
import { proveExport } from '../../../domain/record/seals/prove-export.ts'
import { readVerification } from '../../../domain/record/seals/read-verification.ts'
import { verifyWorkspaceLog } from '../../../domain/record/seals/verify-workspace.ts'
import { auditFile } from '../../http/audit-file.ts'
import { requireOwnPage } from '../../http/same-site.ts'
import { type Handlers, paged } from '../operation.ts'

export const auditHandlers: Handlers<typeof reads & typeof writes> = {
  'audit.list': (ctx, input, tools) => {
    const { limit: _, cursor: __, ...filter } = input
    return paged(ctx, tools, 'audit.list', input, (page) => listAudit(ctx, filter, page))
  },
  'audit.count': (ctx, { newerThan, ...filter }) => countAudit(ctx, filter, newerThan),
  'audit.export': async (ctx, { format = 'json', ...filter }, { publicUrl }, reply) => {
    // A GET that is recorded: another site's page must not be able to trigger it.
    requireOwnPage(reply.request, publicUrl())
    return auditFile(ctx, filter, format, (id) => `audit.proof?export=${id}`)
  },
  'audit.proof': async (ctx, { export: id }, { auditKey }, reply) => {
    const proof = await proveExport(ctx, auditKey(), id)
    reply.header('content-disposition', `attachment; filename="audit-proof_${id}.json"`)
    return proof
  },
  'audit.verification': (ctx, _, { auditKey }) => readVerification(ctx, auditKey()),
  'audit.verify': (ctx, _, { auditKey }) => verifyWorkspaceLog(ctx, auditKey()),
}
