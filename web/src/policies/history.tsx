import type { KeptPolicyVersion, PolicyVersion } from '@signalbox/contract/app/policies.ts'
import { History as HistoryIcon } from 'lucide-react'
import { useState } from 'react'
import { usePages } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { useForbiddenHere } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { List } from '../ui/listed.tsx'
import { Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { DifferenceList } from './difference-list.tsx'
import { differences, draftOf, fromKept } from './differences.ts'
import { SaveDialog } from './save-dialog.tsx'
import { presetNames } from './words.ts'

/** Every policy the team has had: who changed it, when, why and what. */
export function History({ team, current }: { team: string; current: PolicyVersion | null }) {
  const pages = usePages('policies.versions', { team, limit: 10 })
  const forbidden = useForbiddenHere('change the policy', 'policies', { name: team })
  const [restoring, setRestoring] = useState<KeptPolicyVersion | null>(null)
  return (
    <Section
      title="History"
      hint="Every version is kept, with who changed what and why. Restoring a version creates a new one with its settings."
    >
      <List
        of={pages}
        lines={3}
        more="Older versions"
        empty={<p className="text-sm text-muted">No versions yet.</p>}
      >
        {(versions) => (
          <ol className="flex flex-col gap-2">
            {versions.map((kept) => (
              <Version
                key={kept.version}
                kept={kept}
                isCurrent={kept.version === current?.version}
                forbidden={forbidden}
                onRestore={() => setRestoring(kept)}
              />
            ))}
          </ol>
        )}
      </List>
      {restoring && current && (
        <Restore team={team} kept={restoring} current={current} onClose={() => setRestoring(null)} />
      )}
    </Section>
  )
}

interface VersionProps {
  kept: KeptPolicyVersion
  isCurrent: boolean
  forbidden: string | false
  onRestore: () => void
}

function Version({ kept, isCurrent, forbidden, onRestore }: VersionProps) {
  return (
    <li className="rounded-lg border bg-surface p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="flex flex-wrap items-center gap-2 text-sm font-semibold">
          Version {kept.version}
          <Badge word={`${presetNames[kept.preset].name}${kept.custom ? ', custom' : ''}`} />
          {isCurrent && <Badge tone="ok" word="Current" />}
        </h3>
        {!isCurrent && (
          <Button size="small" icon={<HistoryIcon size={14} />} forbidden={forbidden} onClick={onRestore}>
            Restore
          </Button>
        )}
      </div>
      <p className="mt-1 text-xs text-muted">
        {kept.by ?? 'Deleted user'}, {dateOf(kept.at)} (<Time at={kept.at} />)
      </p>
      {kept.reason && (
        <p dir="auto" className="mt-2 text-sm break-words">
          <Coded text={kept.reason} />
        </p>
      )}
      <div className="mt-2">
        <Changes of={kept.changes} />
      </div>
    </li>
  )
}

/** Long lists stay closed: the first version sets everything. */
const mostOpen = 8

function Changes({ of }: { of: KeptPolicyVersion['changes'] }) {
  const changes = fromKept(of)
  if (changes.length <= mostOpen) return <DifferenceList of={changes} />
  return (
    <details>
      <summary className="w-fit text-xs leading-6 font-medium text-accent">{changes.length} settings</summary>
      <div className="mt-1">
        <DifferenceList of={changes} />
      </div>
    </details>
  )
}

interface RestoreProps {
  team: string
  kept: KeptPolicyVersion
  current: PolicyVersion
  onClose: () => void
}

function Restore({ team, kept, current, onClose }: RestoreProps) {
  const restore = useAction('policies.restore', {
    alsoStale: ['teams'],
    said: ({ version }) => `Version ${kept.version} restored as version ${version}`,
    next: onClose,
  })
  return (
    <SaveDialog
      title={`Restore version ${kept.version}`}
      description={`Its settings become version ${current.version + 1}. Current runs keep the version they started with.`}
      team={team}
      draft={kept}
      changes={differences(draftOf(current), kept)}
      of={restore}
      action="Restore"
      onClose={onClose}
      onSave={(reason) =>
        restore.send({
          team,
          version: kept.version,
          basedOn: current.version,
          ...(reason ? { reason } : {}),
        })
      }
    />
  )
}
