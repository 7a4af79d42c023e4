import type { MirrorPage } from '@signalbox/contract/app/mirror.ts'
import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Form } from '../ui/form.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Time } from '../ui/time.tsx'
import { complain, say } from '../ui/toast.tsx'
import { columnNames, columnRoles } from '../words/stories.ts'

type Column = MirrorPage['statuses'][number]['column']

const forbidden = 'Only owners and admins can change team settings'

/** How far the import has come, when the tracker was last checked, and which status is which column. */
export function MirrorSection({ team }: { team: string }) {
  // An import goes on without leaving an entry for every page.
  const read = useRead('mirror.read', { team }, { every: 5_000 })
  if (read.data === null) return null
  return (
    <Section title="Issues" hint="How this team’s stories follow the issues of its tracker.">
      <Loaded of={read}>
        {(mirror) =>
          mirror && (
            <>
              <Progress team={team} mirror={mirror} />
              <Statuses team={team} mirror={mirror} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function Progress({ team, mirror }: { team: string; mirror: MirrorPage }) {
  const sweep = useWrite('mirror.sweep')
  const tool = toolNames[mirror.tool]
  const count = mirror.imported.toLocaleString('en')
  const of = mirror.total && mirror.total > mirror.imported ? ` of ${mirror.total.toLocaleString('en')}` : ''
  return (
    <div className="mb-5 text-sm">
      {mirror.lastError && (
        <p role="alert" className="mb-2 rounded-lg border bg-warn-soft p-3">
          {mirror.lastError}
        </p>
      )}
      <p role="status">
        {mirror.importedAt ? (
          <>
            {count} open {mirror.imported === 1 ? 'issue' : 'issues'} imported from {mirror.project} in {tool}
            . Last checked {mirror.sweptAt ? <Time at={mirror.sweptAt} /> : 'never'}.
          </>
        ) : (
          `Importing from ${mirror.project} in ${tool}: ${count}${of} so far.`
        )}
      </p>
      <p className="mt-1 text-muted">
        {mirror.webhooks
          ? 'Changes arrive by webhook and are checked every 15 minutes.'
          : 'No webhooks arrive, so changes are checked every 2 minutes.'}
        {mirror.notInStep > 0 &&
          ` ${mirror.notInStep} ${mirror.notInStep === 1 ? 'story differs' : 'stories differ'} from the tracker.`}
      </p>
      <Button
        className="mt-3"
        busy={sweep.isPending}
        onClick={() =>
          sweep.mutate({ team }, { onSuccess: () => say(`Checking ${tool}`), onError: complain })
        }
      >
        Check now
      </Button>
    </div>
  )
}

function Statuses({ team, mirror }: { team: string; mirror: MirrorPage }) {
  const [map, may] = [useWrite('mirror.map', { alsoStale: ['stories'] }), useMay('admin')]
  const [chosen, setChosen] = useState<Record<string, Column>>({})
  if (mirror.statuses.length === 0) return null
  const columns = Object.fromEntries(mirror.statuses.map(({ id, column }) => [id, column]))
  const isChanged = Object.entries(chosen).some(([id, column]) => columns[id] !== column)
  const save = () => {
    if (!may || map.isPending || (!isChanged && mirror.isConfirmed)) return
    map.mutate(
      { team, mapping: { ...columns, ...chosen } },
      {
        onSuccess: () => {
          say('Mapping saved')
          setChosen({})
        },
      },
    )
  }
  return (
    <Form onSend={save}>
      <div>
        <h3 className="text-sm font-medium">Statuses and columns</h3>
        <p className="text-xs text-muted">
          {mirror.isConfirmed
            ? 'Issues in Ready are picked up by the team.'
            : 'This is a first guess. Check it and save it. Issues in Ready are picked up by the team.'}
        </p>
      </div>
      <ul className="divide-y rounded-lg border bg-surface">
        {mirror.statuses.map(({ id, name, column }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-3 px-3 py-2 text-sm">
            <span className="min-w-0 break-words">{name}</span>
            <Choice
              label={`Column for ${name}`}
              none="Not a column"
              of={columnRoles.map((role) => [role, columnNames[role]])}
              disabled={!may}
              value={(id in chosen ? chosen[id] : column) ?? ''}
              onChange={(value) => setChosen({ ...chosen, [id]: (value || null) as Column })}
            />
          </li>
        ))}
      </ul>
      <Refused error={map.error} />
      <div>
        <Button
          type="submit"
          look="primary"
          busy={map.isPending}
          forbidden={!may ? forbidden : !isChanged && mirror.isConfirmed && 'No changes to save'}
        >
          Save mapping
        </Button>
      </div>
    </Form>
  )
}
