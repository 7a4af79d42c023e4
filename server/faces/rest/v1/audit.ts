import { AuditEntry, AuditExportQuery, AuditQuery, ExportProof } from '@signalbox/contract/audit.ts'
import { exportId } from '@signalbox/contract/keys.ts'
import { pageOf } from '@signalbox/contract/page.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { listAudit } from '../../../domain/record/audit/list.ts'
import { proveExport } from '../../../domain/record/seals/prove-export.ts'
import { auditFile } from '../../http/audit-file.ts'
import { get, list } from './route.ts'

const tag = 'Audit'

export const auditRoutes = [
  list(
    {
      path: '/v1/audit',
      operation: 'listAudit',
      summary: 'List audit entries, newest first',
      tag,
      onReplica: true,
      permission: 'read',
      role: { least: 'admin', to: 'read the audit log' },
      query: AuditQuery,
      response: pageOf(AuditEntry),
      headers: {
        'X-Service-Archived-Before':
          'on the last page: entries from before then are in files of archived months; absent when there are none, or when `from` does not reach that far',
      },
    },
    (ctx, _, filter, page) => listAudit(ctx, filter, page),
    ({ archivedBefore: at }) => (at ? ['x-service-archived-before', at.toISOString()] : []),
  ),
  get(
    {
      path: '/v1/audit/export',
      operation: 'exportAudit',
      summary: 'Export up to 5,000 audit entries as a file, newest first',
      description: 'Every export is itself recorded as audit_exported. The default format is json.',
      tag,
      onReplica: true,
      permission: 'read',
      role: { least: 'admin', to: 'export the audit log' },
      query: AuditExportQuery,
      files: ['application/json', 'text/csv'],
      headers: {
        'X-Service-Export-Count': 'number of entries in the file',
        'X-Service-Export-Truncated': 'true when more entries matched than were exported; absent otherwise',
        'X-Service-Export-Archived-Before':
          'entries from before then are in files of archived months; absent when the export does not reach that far',
        'X-Service-Export-Id': 'names the export; /v1/audit/exports/{export}/proof proves the file',
      },
      head: false,
    },
    (ctx, _, { format = 'json', ...filter }) =>
      auditFile(ctx, filter, format, (id) => `/v1/audit/exports/${id}/proof`),
  ),
  get(
    {
      path: '/v1/audit/exports/:export/proof',
      operation: 'proveExport',
      summary: 'Prove an exported file',
      description:
        'A bundle of hashes and a signed checkpoint, with which `verify-audit --file FILE --proof BUNDLE` checks the file offline. Entries are sealed within seconds; until then the answer is 503.',
      tag,
      permission: 'read',
      role: { least: 'admin', to: 'prove an export of the audit log' },
      params: { export: { schema: exportId, noun: 'export' } },
      response: ExportProof,
    },
    async (ctx, params, _, { auditKey }) =>
      JSON.stringify(await proveExport(ctx, auditKey(), params.export!)) as Json<unknown>,
  ),
]
