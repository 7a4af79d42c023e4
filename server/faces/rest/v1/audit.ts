import { AuditEntry, AuditExportQuery, AuditQuery } from '@signalbox/contract/audit.ts'
import { pageOf } from '@signalbox/contract/page.ts'
import { exportAudit } from '../../../domain/audit/export.ts'
import { listAudit } from '../../../domain/audit/list.ts'
import { get, list } from '../route.ts'

const tag = 'Audit'

const mediaTypes = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

export const auditRoutes = [
  list(
    {
      path: '/v1/audit',
      operation: 'listAudit',
      summary: 'List audit entries, newest first',
      tag,
      permission: 'read',
      role: 'admin',
      query: AuditQuery,
      answer: pageOf(AuditEntry),
    },
    (ctx, _, filter, page) => listAudit(ctx, filter, page),
  ),
  get(
    {
      path: '/v1/audit/export',
      operation: 'exportAudit',
      summary: 'Export up to 5,000 audit entries as a file, newest first',
      description: 'Every export is itself recorded as audit_exported. The default format is json.',
      tag,
      permission: 'read',
      role: 'admin',
      query: AuditExportQuery,
      files: ['application/json', 'text/csv'],
      headers: {
        'X-Service-Export-Count': 'number of entries in the file',
        'X-Service-Export-Truncated': 'true when more entries matched than were exported; absent otherwise',
        'X-Service-Export-Id': 'names the export; /v1/audit/exports/{export}/proof proves the file',
      },
      head: false,
    },
    async (ctx, _, { format = 'json', ...filter }) => {
      const file = await exportAudit(ctx, filter, format)
      const range = [filter.from ?? 'start', filter.to ?? 'now'].map((end) =>
        end.replaceAll(/[^\dA-Za-z-]/g, ''),
      )
      return {
        headers: {
          'content-type': mediaTypes[format],
          'content-disposition': `attachment; filename="audit_${range.join('_')}.${format}"`,
          'x-service-export-count': String(file.count),
          'x-service-export-id': file.id,
          link: `</v1/audit/exports/${file.id}/proof>; rel="describedby"`,
          ...(file.truncated ? { 'x-service-export-truncated': 'true' } : {}),
        },
        content: file.content,
      }
    },
  ),
]
