import { ArrowUp, Lock, ScrollText } from 'lucide-react'
import { useMay, useMe } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { counted, dateOf } from '../browser/formats.ts'
import { Button } from '../ui/button.tsx'
import { List } from '../ui/listed.tsx'
import { Empty, Page, Skeleton } from '../ui/page.tsx'
import { useEntries } from './entries.ts'
import { EntryTable } from './entry-table.tsx'
import { ExportBar, PastExports } from './exports.tsx'
import { AuditFilters, useAuditFilter } from './filters.tsx'
import { VerificationCard } from './verification.tsx'

export function Audit() {
  const [me, may] = [useMe(), useMay('admin')]
  return (
    <Page title="Audit" wide>
      {may ? (
        <Log />
      ) : me ? (
        <Empty icon={Lock} title="Only owners and admins can see the audit log">
          The audit log records who did what, when and how. An owner can make you an admin.
        </Empty>
      ) : (
        <Skeleton />
      )}
    </Page>
  )
}

function Log() {
  const filter = useAuditFilter()
  const entries = useEntries(filter)
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <VerificationCard />
      <AuditFilters />
      <ExportBar filter={filter}>
        <Newer count={entries.newer} onShow={entries.showNewer} busy={entries.isRefetching} />
      </ExportBar>
      <List of={entries} lines={12} empty={<Nothing isFiltered={isFiltered} />}>
        {(found) => <EntryTable entries={found} />}
      </List>
      {entries.data && !entries.hasNextPage && <Archived from={filter.from} />}
      <PastExports />
    </>
  )
}

/** Where the list ends because older months are in files, and `from` asks for some of them. */
function Archived({ from }: { from: string | undefined }) {
  const { data } = useRead('audit.verification', {}, { keep: true })
  if (!data?.archivedBefore || (from && new Date(from) >= new Date(data.archivedBefore))) return null
  return (
    <p className="mt-3 text-sm text-muted">
      Entries from before {dateOf(data.archivedBefore)} are archived in files. Ask the server operator for
      them.
    </p>
  )
}

const Nothing = ({ isFiltered }: { isFiltered: boolean }) => (
  <Empty icon={ScrollText} title={isFiltered ? 'No results' : 'No entries yet'}>
    {isFiltered
      ? 'Try other dates or clear the filters.'
      : 'Every change in this workspace is recorded here.'}
  </Empty>
)

interface NewerProps {
  count: { count: number; more: boolean } | undefined
  onShow: () => void
  busy: boolean
}

/** What has come since; shown only when it is asked for. */
function Newer({ count, onShow, busy }: NewerProps) {
  return (
    <div role="status">
      {count && count.count > 0 && (
        <Button
          size="small"
          look="quiet"
          className="text-accent!"
          icon={<ArrowUp size={14} aria-hidden="true" />}
          busy={busy}
          onClick={onShow}
        >
          Show {count.more && 'more than '}
          {counted(count.count, 'new entry', 'new entries')}
        </Button>
      )}
    </div>
  )
}
