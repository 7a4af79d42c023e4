import type { SourceKind } from '@signalbox/contract/source.ts'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { Empty, Page } from '../ui/page.tsx'
import { Added, type MadeSource } from './added.tsx'
import { inSentence, kindList, kindWords } from './kinds.ts'
import { NewSourceForm } from './new-form.tsx'
import { Trail } from './trail.tsx'

const isKind = (kind: string | undefined): kind is SourceKind => kindList.includes(kind as SourceKind)

/** Choose a sender, name it, and get its address and secret. The secret lives in this component and nowhere else. */
export function NewSource() {
  const { ws, service } = useParams({ from: '/$ws/services/$service/sources/new' })
  const { kind } = useSearch({ from: '/$ws/services/$service/sources/new' })
  const may = useMay('admin')
  const [made, setMade] = useState<MadeSource | null>(null)
  const title = made
    ? `Connect ${inSentence(made.kind)}`
    : isKind(kind)
      ? `New source: ${kindWords[kind].name}`
      : 'New source'
  return (
    <Page title={title} above={<Trail service={service} />}>
      {made ? (
        <Added made={made} service={service} />
      ) : !may ? (
        <Empty icon={Lock} title="Sources: owners and admins">
          Ask an owner or admin of the workspace to add the source.
        </Empty>
      ) : isKind(kind) ? (
        <NewSourceForm key={kind} kind={kind} service={service} onMade={setMade} />
      ) : (
        <Kinds ws={ws} service={service} />
      )}
    </Page>
  )
}

function Kinds({ ws, service }: { ws: string; service: string }) {
  return (
    <>
      <p className="mb-4 text-sm text-muted">What sends the alerts?</p>
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {kindList.map((kind) => {
          const { name, icon: Icon, about } = kindWords[kind]
          return (
            <li key={kind}>
              <Link
                to="/$ws/services/$service/sources/new"
                params={{ ws, service }}
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
