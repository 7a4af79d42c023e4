import type { AuditEntry, AuditFilter } from '@signalbox/contract/audit.ts'
import { Download, FileJson, FileSpreadsheet, ShieldCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { addressOf } from '../api/client.ts'
import { useRead, useWorkspace } from '../api/queries.ts'
import { download } from '../browser/download.ts'
import { counted } from '../browser/formats.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { complain, say } from '../ui/toast.tsx'
import { inWords } from './wording.ts'
import { many } from './words.ts'

type Format = 'csv' | 'json'

/** How many entries the filter shows, and the same as a file. What a file cannot hold is said before it is asked for. */
export function ExportBar({ filter, children }: { filter: AuditFilter; children: ReactNode }) {
  const ws = useWorkspace()
  const matching = useRead('audit.count', filter, { keep: true })
  const [busy, setBusy] = useState<Format | null>(null)
  const take = async (format: Format) => {
    setBusy(format)
    try {
      const headers = await download(addressOf(ws, 'audit.export', { ...filter, format }))
      const count = Number(headers.get('x-service-export-count'))
      say(`Exported ${counted(count, 'entry', 'entries')}. Its proof is under Past exports.`)
    } catch (error) {
      complain(error)
    }
    setBusy(null)
  }
  const none = matching.data?.count === 0 && 'No results'
  return (
    <div className="mb-3 flex min-h-7 flex-wrap items-center gap-x-3 gap-y-2">
      <p role="status" className="min-h-5 text-sm text-muted">
        {matching.data &&
          (matching.data.more ? (
            <>
              <span className="font-medium text-warn">
                More than {many(matching.data.count)} entries match.
              </span>{' '}
              An export has the newest {many(matching.data.count)}. Narrow the filters to get the rest.
            </>
          ) : (
            counted(matching.data.count, 'entry matches', 'entries match')
          ))}
      </p>
      {children}
      <div className="ml-auto flex flex-wrap gap-2 max-sm:ml-0">
        {(['csv', 'json'] as const).map((format) => (
          <Button
            key={format}
            size="small"
            busy={busy === format}
            forbidden={none}
            icon={
              format === 'csv' ? (
                <FileSpreadsheet size={14} aria-hidden="true" />
              ) : (
                <FileJson size={14} aria-hidden="true" />
              )
            }
            onClick={() => void take(format)}
          >
            Export {format.toUpperCase()}
          </Button>
        ))}
      </div>
    </div>
  )
}

/** Who took which entries out, and the proof of each file. */
export function PastExports() {
  const exports = useRead('audit.list', { event: 'audit_exported', limit: 5 }, { keep: true })
  if (!exports.data || exports.data.data.length === 0) return null
  return (
    <section aria-labelledby="past-exports" className="mt-8">
      <h2 id="past-exports" className="mb-1 text-lg font-semibold">
        Past exports
      </h2>
      <p className="mb-3 text-sm text-muted">
        Check an exported file and its proof on any machine with Signalbox, with the verifier key above:{' '}
        <code className="font-mono text-xs [overflow-wrap:anywhere]">
          npm run signalbox -- verify-audit --file FILE --proof PROOF --key KEY
        </code>
      </p>
      <Card>
        <ul className="divide-y">
          {exports.data.data.map((entry) => (
            <PastExport key={entry.id} entry={entry} />
          ))}
        </ul>
      </Card>
    </section>
  )
}

function PastExport({ entry }: { entry: AuditEntry }) {
  const ws = useWorkspace()
  const { format, count, truncated, filters } = entry.details as {
    format: Format
    count: number
    truncated: boolean
    filters?: AuditFilter
  }
  const shown = Object.entries(filters ?? {}).map(([name, value]) => `${name}: ${inWords(value)}`)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2 text-sm">
      <div className="min-w-0">
        <p>
          <Download size={14} aria-hidden="true" className="mr-1.5 inline text-muted" />
          {counted(count, 'entry', 'entries')} as {String(format).toUpperCase()}
          {truncated && ' (more matched)'} · {entry.actor.name} · <Time at={entry.timestamp} />
        </p>
        <p className="text-xs break-words text-muted">{shown.length > 0 ? shown.join(', ') : 'No filters'}</p>
      </div>
      {isProvable(entry.entity.id) ? (
        <Button
          size="small"
          icon={<ShieldCheck size={14} aria-hidden="true" />}
          onClick={() =>
            void download(addressOf(ws, 'audit.proof', { export: entry.entity.id })).catch(complain)
          }
        >
          Download proof
        </Button>
      ) : (
        <span className="text-xs text-muted">No proof</span>
      )}
    </li>
  )
}

/** Only what this server exported has an id of its kind, and a proof. */
const isProvable = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
