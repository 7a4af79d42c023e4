import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { useSearch } from '@tanstack/react-router'
import { memo } from 'react'
import { useRead } from '../api/queries.ts'
import { Choice } from '../ui/choice.tsx'
import { Link, useGo } from '../ui/link.ts'
import { tabClass } from '../ui/page.tsx'
import { kinds } from '../words/decisions.ts'
import { orders, tabs } from './inbox-lists.ts'

/** The filters of the address. It can be written by hand: what the server would refuse is left out. */
export function useInboxFilters() {
  const status = useSearch({ from: '/$ws/inbox', select: (search) => search.status })
  const team = useSearch({ from: '/$ws/inbox', select: (search) => search.team })
  const kind = useSearch({ from: '/$ws/inbox', select: (search) => search.kind })
  const order = useSearch({ from: '/$ws/inbox', select: (search) => search.order })
  return {
    status: tabs.find((tab) => tab.status === status)?.status,
    team,
    kind: kind && Object.hasOwn(kinds, kind) ? kind : undefined,
    // What is over comes page by page, newest first.
    order: order && !status && Object.hasOwn(orders, order) ? order : undefined,
  }
}

/** Decisions by status are listed: tabs and filters, all in the address. */
export const InboxFilters = memo(function InboxFilters() {
  const [navigate, { status, team, kind, order }] = [useGo(), useInboxFilters()]
  const count = useRead('decisions.count', {}).data
  const filter = (changed: { team?: string; kind?: string; order?: string }) => {
    const next = { status, team, kind, order, ...changed }
    const search = Object.fromEntries(Object.entries(next).filter(([, value]) => value))
    void navigate({ to: '/$ws/inbox', search })
  }
  const pendingOf = (name: DecisionRow['kind']) =>
    count?.kinds.find((counted) => counted.kind === name)?.pending ?? 0
  const named = (name: string, pending: number) => (pending > 0 ? `${name} (${pending})` : name)
  return (
    <>
      <nav aria-label="Decisions by status" className="flex gap-1 border-b px-1.5 md:px-5.5">
        {tabs.map((tab) => {
          const isHere = status === tab.status
          return (
            <Link
              key={tab.name}
              to="/$ws/inbox"
              search={{
                ...(tab.status ? { status: tab.status } : {}),
                ...(team ? { team } : {}),
                ...(kind ? { kind } : {}),
              }}
              className={`${tabClass.className} ${isHere ? tabClass.activeProps.className : ''}`}
              activeOptions={{ exact: true }}
              aria-current={isHere ? 'page' : undefined}
            >
              {tab.name}
              {count !== undefined && (!tab.status || (tab.status === 'snoozed' && count.snoozed > 0)) && (
                <span className="text-xs text-muted tabular-nums">
                  {tab.status ? count.snoozed : count.pending}
                </span>
              )}
            </Link>
          )
        })}
      </nav>
      <div className="grid grid-cols-2 gap-2 border-b px-4 py-2 md:px-8">
        <Choice
          label="Team"
          value={team ?? ''}
          onChange={(chosen) => filter({ team: chosen })}
          none="Any team"
          of={count?.teams.map(({ slug, name, pending }) => [slug, named(name, pending)])}
        />
        <Choice
          label="Kind"
          value={kind ?? ''}
          onChange={(chosen) => filter({ kind: chosen })}
          none="Any kind"
          of={Object.entries(kinds).map(([value, { name }]) => [
            value,
            named(name, pendingOf(value as DecisionRow['kind'])),
          ])}
        />
        {!status && (
          <Choice
            label="Order"
            className="col-span-2"
            value={order ?? ''}
            onChange={(chosen) => filter({ order: chosen })}
            of={orders}
          />
        )}
      </div>
    </>
  )
})
