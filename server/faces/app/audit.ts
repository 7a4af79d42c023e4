import type { reads, writes } from '@signalbox/contract/app/audit.ts'
import { countAudit } from '../../domain/audit/count.ts'
import { listAudit } from '../../domain/audit/list.ts'
import { proveExport } from '../../domain/seals/prove-export.ts'
import { readVerification } from '../../domain/seals/read-verification.ts'
import { verifyWorkspaceLog } from '../../domain/seals/verify-workspace.ts'
import { auditFile } from '../http/audit-file.ts'
import { requireOwnPage } from '../http/same-site.ts'
import { type Handlers, paged } from './operation.ts'

export const auditHandlers: Handlers<typeof reads & typeof writes> = {
  'audit.list': (ctx, input, tools) => {
    const { limit: _, cursor: __, ...filter } = input
    return paged(ctx, tools, 'audit.list', input, (page) => listAudit(ctx, filter, page))
  },
  'audit.count': (ctx, { newerThan, ...filter }) => countAudit(ctx, filter, newerThan),
  'audit.export': async (ctx, { format = 'json', ...filter }, { publicUrl }, reply) => {
    // It is asked for by a link, and yet it is recorded: nobody else's page may make a browser do that.
    requireOwnPage(reply.request, publicUrl())
    return auditFile(ctx, filter, format, (id) => `audit.proof?export=${id}`)
  },
  'audit.proof': async (ctx, { export: id }, { publicKey }, reply) => {
    const proof = await proveExport(ctx, publicKey, id)
    reply.header('content-disposition', `attachment; filename="audit-proof_${id}.json"`)
    return proof
  },
  'audit.verification': (ctx, _, { publicKey }) => readVerification(ctx, publicKey),
  'audit.verify': (ctx, _, { publicKey }) => verifyWorkspaceLog(ctx, publicKey),
}
