import type { AuditFilter } from '@signalbox/contract/audit.ts'
import type { Context } from '../../domain/context.ts'
import { type ExportFormat, exportAudit } from '../../domain/record/audit/export.ts'
import { FileResponse } from './file.ts'

const mediaTypes = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** An export as a file, the same for every face. `proof` says where what proves it is found. */
export async function auditFile(
  ctx: Context,
  filter: AuditFilter,
  format: ExportFormat,
  proof: (exportId: string) => string,
): Promise<FileResponse> {
  const file = await exportAudit(ctx, filter, format)
  const range = [filter.from ?? 'start', filter.to ?? 'now'].map((end) => end.replaceAll(/[^\dA-Za-z-]/g, ''))
  return new FileResponse(
    {
      'content-type': mediaTypes[format],
      'content-disposition': `attachment; filename="audit_${[file.workspace, ...range].join('_')}.${format}"`,
      'x-service-export-count': String(file.count),
      'x-service-export-id': file.id,
      link: `<${proof(file.id)}>; rel="describedby"`,
      ...(file.archivedBefore
        ? { 'x-service-export-archived-before': file.archivedBefore.toISOString() }
        : {}),
      ...(file.truncated ? { 'x-service-export-truncated': 'true' } : {}),
    },
    file.content,
  )
}
