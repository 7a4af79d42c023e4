import type { MirrorPage } from '@signalbox/contract/app/mirror.ts'
import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import { useState } from 'react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { grouped } from '../browser/formats.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Form, FormEnd } from '../ui/form.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { columnNames, columnRoles } from '../words/stories.ts'

type Column = MirrorPage['statuses'][number]['column']

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
  const tool = toolNames[mirror.tool]
  const sweep = useAction('mirror.sweep', { said: `Checking ${tool}` })
  const count = grouped(mirror.imported)
  const of = mirror.total && mirror.total > mirror.imported ? ` of ${grouped(mirror.total)}` : ''
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
      <Button className="mt-3" {...sweep.button({ team })}>
        Check now
      </Button>
    </div>
  )
}

function Statuses({ team, mirror }: { team: string; mirror: MirrorPage }) {
  const forbidden = useForbidden('change team settings')
  const [chosen, setChosen] = useState<Record<string, Column>>({})
  const map = useAction('mirror.map', {
    alsoStale: ['stories'],
    said: 'Mapping saved',
    next: () => setChosen({}),
  })
  if (mirror.statuses.length === 0) return null
  const columns = Object.fromEntries(mirror.statuses.map(({ id, column }) => [id, column]))
  const isChanged = Object.entries(chosen).some(([id, column]) => columns[id] !== column)
  // A guess can be saved as it is: then a person has seen it.
  const cannot = forbidden || (!isChanged && mirror.isConfirmed && 'No changes to save')
  return (
    <Form onSend={() => !cannot && map.send({ team, mapping: { ...columns, ...chosen } })}>
      <div>
        <h3 className="text-sm font-medium">Statuses and columns</h3>
        <p className="text-xs text-muted">
          {mirror.isConfirmed
            ? 'Issues in Ready are picked up by the team.'
            : 'This is a suggestion. Review and save it. Issues in Ready are picked up by the team.'}
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
              disabled={forbidden !== false}
              value={(Object.hasOwn(chosen, id) ? chosen[id] : column) ?? ''}
              onChange={(value) => setChosen({ ...chosen, [id]: (value || null) as Column })}
            />
          </li>
        ))}
      </ul>
      <FormEnd of={map} forbidden={cannot}>
        Save mapping
      </FormEnd>
    </Form>
  )
}
