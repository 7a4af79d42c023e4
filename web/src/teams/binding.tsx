import type { ConnectionRow, TeamBindings } from '@signalbox/contract/app/connections.ts'
import type { TeamRow } from '@signalbox/contract/app/teams.ts'
import { codeKinds, toolNames, trackerKinds } from '@signalbox/contract/connection-kinds.ts'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { useForbidden } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { Anchor } from '../ui/anchor.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button, type ButtonProps } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Form, FormEnd } from '../ui/form.tsx'
import { Link } from '../ui/link.ts'
import { Loaded, Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { useSettled } from '../ui/settled.ts'
import { TextField } from '../ui/text-field.tsx'
import { say } from '../ui/toast.tsx'

const alsoStale = ['connections', 'workspaces']

/** Where the team's stories come from, and which repositories it works on, from the workspace's connections. */
export function BindingSections({ team }: { team: TeamRow }) {
  const bindings = useRead('teams.bindings', { team: team.slug })
  const connections = useRead('connections.list', {})
  const both = {
    data: bindings.data && connections.data && { bound: bindings.data, all: connections.data.data },
    error: bindings.error ?? connections.error,
    refetch: () => Promise.all([bindings.refetch(), connections.refetch()]),
  }
  return (
    <Loaded of={both} lines={3}>
      {({ bound, all }) => (
        <>
          <Anchor id="tracker">
            <Tracker team={team.slug} bound={bound.tracker} connections={of(all, trackerKinds)} />
          </Anchor>
          <Anchor id="repositories">
            <Repositories team={team.slug} bound={bound.repositories} connections={of(all, codeKinds)} />
          </Anchor>
        </>
      )}
    </Loaded>
  )
}

const of = (all: ConnectionRow[], kinds: readonly string[]) => all.filter(({ kind }) => kinds.includes(kind))

/** As people know them; of two with the same name, who we are there as well. */
const named = (connections: ConnectionRow[]) =>
  connections.map(({ id, name, kind, account, baseUrl }): [string, string] => {
    const shown = name === toolNames[kind] ? name : `${name} (${toolNames[kind]})`
    const isOnly = connections.filter((one) => one.name === name && one.kind === kind).length === 1
    return [id, isOnly ? shown : `${shown}, ${account ?? 'unknown account'} at ${new URL(baseUrl).host}`]
  })

/** While someone types, the tool is not asked for every letter: it counts what we ask. */
const typingMs = 300

function NoConnection({ what }: { what: string }) {
  return (
    <p className="text-sm text-muted">
      {what}{' '}
      <Link to="/$ws/settings/connections" className="text-accent underline">
        Add a connection
      </Link>
    </p>
  )
}

interface Bound<K extends keyof TeamBindings> {
  team: string
  bound: TeamBindings[K]
  connections: ConnectionRow[]
}

function Tracker({ team, bound, connections }: Bound<'tracker'>) {
  const forbidden = useForbidden('change team settings')
  const [isChoosing, setChoosing] = useState(false)
  const bind = useAction('teams.bindTracker', { alsoStale, said: 'The team uses the built-in tracker' })
  return (
    <Section title="Stories" hint="Where this team’s stories come from.">
      <p className="mb-3 text-sm">
        {bound ? (
          <>
            {toolNames[bound.kind]}:{' '}
            {bound.project.url ? (
              <a href={bound.project.url} className="text-accent underline" rel="noreferrer" target="_blank">
                {bound.project.key}
              </a>
            ) : (
              bound.project.key
            )}
            {bound.label && `, issues labelled ${bound.label}`}
          </>
        ) : (
          'Built-in tracker: stories are written here.'
        )}
      </p>
      {connections.length === 0 ? (
        <NoConnection what="To use GitHub, GitLab, Jira or Linear issues, connect the tool first." />
      ) : isChoosing ? (
        <TrackerForm team={team} connections={connections} onDone={() => setChoosing(false)} />
      ) : (
        <div className="flex flex-wrap gap-3">
          <Button forbidden={forbidden} onClick={() => setChoosing(true)}>
            {bound ? 'Change project' : 'Choose project'}
          </Button>
          {bound && (
            <MakeWebhook
              connection={bound.connection}
              scope={{ id: bound.project.id, name: bound.project.key }}
            />
          )}
          {bound && (
            <Button
              busy={bind.isPending}
              forbidden={forbidden}
              onClick={() => bind.send({ team, tracker: null })}
            >
              Use built-in tracker
            </Button>
          )}
        </div>
      )}
      {!isChoosing && <Refused error={bind.error} />}
    </Section>
  )
}

interface TrackerProps {
  team: string
  connections: ConnectionRow[]
  onDone: () => void
}

function TrackerForm({ team, connections, onDone }: TrackerProps) {
  const [label, setLabel] = useState('')
  const pick = usePick(connections)
  // Nothing is kept from the list before: it may be another connection's.
  const found = useRead('connections.projects', pick.asked)
  const chosen = found.data?.data.find(({ id }) => id === pick.value)
  const bind = useAction('teams.bindTracker', {
    alsoStale,
    said: `Stories come from ${chosen?.key}`,
    next: onDone,
  })
  const submit = () =>
    chosen &&
    bind.send({
      team,
      tracker: {
        connection: pick.asked.connection,
        project: { id: chosen.id, key: chosen.key },
        label: label.trim() || null,
      },
    })
  return (
    <Form onSend={submit}>
      <Picking
        pick={pick}
        what="project"
        found={found}
        of={found.data?.data.map(({ id, key, name }) => [
          id,
          key === name || key.endsWith(`/${name}`) ? key : `${key}: ${name}`,
        ])}
      />
      <TextField
        label="Label (optional)"
        hint="Only issues with this label become stories."
        maxLength={100}
        value={label}
        onChange={setLabel}
      />
      <FormEnd
        of={{ ...bind, error: bind.error ?? found.error }}
        forbidden={!chosen && 'Choose a project first'}
        aside={<Button onClick={onDone}>Cancel</Button>}
      >
        Save project
      </FormEnd>
    </Form>
  )
}

function Repositories({ team, bound, connections }: Bound<'repositories'>) {
  const forbidden = useForbidden('change team settings')
  const [isChoosing, setChoosing] = useState(false)
  const remote = bound.filter((one) => one.connection !== null)
  const bind = useWrite('teams.bindRepositories', { alsoStale })
  const save = (repositories: { connection: string; id: string; name: string }[], said: string) =>
    bind.mutate(
      { team, repositories },
      {
        onSuccess: () => {
          say(said)
          setChoosing(false)
        },
      },
    )
  const kept = remote.map(({ connection, remoteId, name }) => ({
    connection: connection!,
    id: remoteId!,
    name,
  }))
  return (
    <Section title="Repositories" hint="Runs work on these, and changes are merged into their branch.">
      {remote.length > 0 && (
        <ul className="mb-3 divide-y rounded-lg border">
          {remote.map(({ connection, remoteId, name, branch, url, connectionName }) => (
            <li
              key={remoteId}
              className="flex flex-wrap items-center justify-between gap-3 px-3 py-2 text-sm"
            >
              <span className="min-w-0 break-words">
                {url ? (
                  <a href={url} className="text-accent underline" rel="noreferrer" target="_blank">
                    {name}
                  </a>
                ) : (
                  name
                )}{' '}
                <span className="text-muted">
                  {branch}, through {connectionName}
                </span>
              </span>
              <span className="flex gap-2">
                <MakeWebhook size="small" connection={connection!} scope={{ id: remoteId!, name }} />
                <Button
                  size="small"
                  busy={bind.isPending}
                  forbidden={forbidden}
                  onClick={() =>
                    save(
                      kept.filter(({ id }) => id !== remoteId),
                      `${name} removed`,
                    )
                  }
                >
                  Remove
                </Button>
              </span>
            </li>
          ))}
        </ul>
      )}
      {connections.length === 0 ? (
        <NoConnection what="To work on a repository on GitHub or GitLab, connect it first. Or use a folder on the server, below." />
      ) : isChoosing ? (
        <RepositoryPicker
          connections={connections}
          isPending={bind.isPending}
          onPick={(picked) =>
            save([...kept.filter(({ id }) => id !== picked.id), picked], `${picked.name} added`)
          }
          onDone={() => setChoosing(false)}
        />
      ) : (
        <Button forbidden={forbidden} onClick={() => setChoosing(true)}>
          Add repository
        </Button>
      )}
      <Refused error={bind.error} />
    </Section>
  )
}

interface PickerProps {
  connections: ConnectionRow[]
  isPending: boolean
  onPick: (picked: { connection: string; id: string; name: string }) => void
  onDone: () => void
}

function RepositoryPicker({ connections, isPending, onPick, onDone }: PickerProps) {
  const pick = usePick(connections)
  const { connection } = pick.asked
  const found = useRead('connections.repositories', pick.asked)
  const chosen = found.data?.data.find(({ id }) => id === pick.value)
  return (
    <Form onSend={() => chosen && onPick({ connection, id: chosen.id, name: chosen.name })}>
      <Picking
        pick={pick}
        what="repository"
        found={found}
        of={found.data?.data.map(({ id, name }) => [id, name])}
      />
      <FormEnd
        of={{ isPending, error: found.error }}
        forbidden={!chosen && 'Choose a repository first'}
        aside={<Button onClick={onDone}>Cancel</Button>}
      >
        Add repository
      </FormEnd>
    </Form>
  )
}

/** What is chosen of what a connection has: which connection, what is looked for there, and what was picked. */
function usePick(connections: ConnectionRow[]) {
  const [connection, setConnection] = useState(connections[0]!.id)
  const [query, setQuery] = useState('')
  const [value, setValue] = useState('')
  const choose = (id: string) => {
    setConnection(id)
    setValue('')
  }
  return {
    ...{ connections, query, setQuery, value, setValue, choose },
    asked: { connection, query: useSettled(query, typingMs) },
  }
}

interface PickingProps {
  pick: ReturnType<typeof usePick>
  what: 'project' | 'repository'
  found: { isFetching: boolean }
  of: [string, string][] | undefined
}

const many = { project: 'projects', repository: 'repositories' }

const Picking = ({ pick, what, found: { isFetching }, of }: PickingProps) => (
  <>
    <ChoiceField
      label="Connection"
      of={named(pick.connections)}
      value={pick.asked.connection}
      onChange={pick.choose}
    />
    <TextField label={`Find a ${what}`} type="search" value={pick.query} onChange={pick.setQuery} />
    <ChoiceField
      label={what === 'project' ? 'Project' : 'Repository'}
      none={isFetching ? 'Loading…' : of?.length === 0 ? `No ${many[what]} found` : `Choose a ${what}`}
      of={of}
      value={pick.value}
      onChange={pick.setValue}
    />
  </>
)

/** Creates the webhook over there, where the token may. */
interface MakeProps extends Pick<ButtonProps, 'size'> {
  connection: string
  scope: { id: string; name: string }
}

function MakeWebhook({ size = 'normal', ...input }: MakeProps) {
  const [forbidden, make] = [
    useForbidden('change team settings'),
    useAction('connections.makeWebhook', { said: 'Webhook created' }),
  ]
  if (make.isSuccess) return <Badge tone="ok" icon={CircleCheck} word="Webhook created" />
  return (
    <Button size={size} forbidden={forbidden} {...make.button(input)}>
      Create webhook
    </Button>
  )
}
