import { useParams, useSearch } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { Link } from '../ui/link.ts'
import { Empty, Loaded, Page } from '../ui/page.tsx'
import { Added, type MadeSource } from './added.tsx'
import { iconOf, type Kind, useKinds } from './kinds.ts'
import { NewSourceForm } from './new-form.tsx'
import { Trail } from './trail.tsx'

/** Choose a sender, name it, and get its address and secret. The secret lives in this component and nowhere else. */
export function NewSource() {
  const { service } = useParams({ from: '/$ws/services/$service/sources/new' })
  const search = useSearch({ from: '/$ws/services/$service/sources/new' })
  const may = useMay('admin')
  const kinds = useKinds()
  const [made, setMade] = useState<MadeSource | null>(null)
  const chosen = kinds.data?.find(({ kind }) => kind === search.kind)
  const title = made
    ? `Connect ${made.kind.inSentence}`
    : chosen
      ? `Add source: ${chosen.name}`
      : 'Add source'
  return (
    <Page title={title} above={<Trail service={service} />}>
      {made ? (
        <Added made={made} service={service} />
      ) : !may ? (
        <Empty icon={Lock} title="Only owners and admins can manage sources">
          Ask an owner or admin to add it.
        </Empty>
      ) : (
        <Loaded of={kinds}>
          {(all) =>
            chosen ? (
              <NewSourceForm key={chosen.kind} kind={chosen} service={service} onMade={setMade} />
            ) : (
              <Kinds kinds={all} service={service} />
            )
          }
        </Loaded>
      )}
    </Page>
  )
}

function Kinds({ kinds, service }: { kinds: Kind[]; service: string }) {
  return (
    <>
      <p className="mb-4 text-sm text-muted">What sends the alerts?</p>
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {kinds.map(({ kind, name, about }) => {
          const Icon = iconOf(kind)
          return (
            <li key={kind}>
              <Link
                to="/$ws/services/$service/sources/new"
                params={{ service }}
                search={{ kind }}
                className="flex h-full items-start gap-3 rounded-lg border bg-surface p-4 hover:bg-hover"
              >
                <Icon size={18} aria-hidden="true" className="mt-0.5 shrink-0 text-accent" />
                <span className="min-w-0">
                  <span className="block text-sm font-medium">{name}</span>
                  <span className="block text-xs text-muted">{about}</span>
                </span>
              </Link>
            </li>
          )
        })}
      </ul>
    </>
  )
}
