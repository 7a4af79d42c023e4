import type { ConnectionRow, TeamBindings } from '@signalbox/contract/app/connections.ts'
import type { TeamRow } from '@signalbox/contract/app/teams.ts'
import { codeKinds, toolNames, trackerKinds } from '@signalbox/contract/connection-kinds.ts'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWorkspace, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Form } from '../ui/form.tsx'
import { Link, Loaded, Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { useSettled } from '../ui/settled.ts'
import { TextField } from '../ui/text-field.tsx'
import { complain, say } from '../ui/toast.tsx'

const forbidden = 'Only owners and admins can change team settings'
const stale = { alsoStale: ['connections', 'workspaces'] }

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
          <Tracker team={team.slug} bound={bound.tracker} connections={of(all, trackerKinds)} />
          <Repositories team={team.slug} bound={bound.repositories} connections={of(all, codeKinds)} />
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

/** While somebody types, the tool is not asked for every letter: it counts what we ask. */
const typingMs = 300

function NoConnection({ what }: { what: string }) {
  const ws = useWorkspace()
  return (
    <p className="text-sm text-muted">
      {what}{' '}
      <Link to="/$ws/settings/connections" params={{ ws }} className="text-accent underline">
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
  const [bind, may] = [useWrite('teams.bindTracker', stale), useMay('admin')]
  const [isChoosing, setChoosing] = useState(false)
  const unbind = () =>
    bind.mutate({ team, tracker: null }, { onSuccess: () => say('The team uses the built-in tracker') })
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
          <Button forbidden={!may && forbidden} onClick={() => setChoosing(true)}>
            {bound ? 'Change project' : 'Choose project'}
          </Button>
          {bound && <MakeWebhook connection={bound.connection} scope={bound.project.id} />}
          {bound && (
            <Button busy={bind.isPending} forbidden={!may && forbidden} onClick={unbind}>
              Use built-in tracker
            </Button>
          )}
        </div>
      )}
      {!isChoosing && <Refused error={bind.error} />}
    </Section>
  )
}

function TrackerForm({
  team,
  connections,
  onDone,
}: {
  team: string
  connections: ConnectionRow[]
  onDone: () => void
}) {
  const bind = useWrite('teams.bindTracker', stale)
  const [connection, setConnection] = useState(connections[0]!.id)
  const [query, setQuery] = useState('')
  const [project, setProject] = useState('')
  const [label, setLabel] = useState('')
  // Nothing is kept from the list before: it may be another connection's.
  const found = useRead('connections.projects', { connection, query: useSettled(query, typingMs) })
  const chosen = found.data?.data.find(({ id }) => id === project)
  const submit = () => {
    if (!chosen || bind.isPending) return
    bind.mutate(
      {
        team,
        tracker: { connection, project: { id: chosen.id, key: chosen.key }, label: label.trim() || null },
      },
      {
        onSuccess: () => {
          say(`Stories come from ${chosen.key}`)
          onDone()
        },
      },
    )
  }
  return (
    <Form onSend={submit}>
      <ChoiceField
        label="Connection"
        of={named(connections)}
        value={connection}
        onChange={(id) => {
          setConnection(id)
          setProject('')
        }}
      />
      <TextField label="Find a project" type="search" value={query} onChange={setQuery} />
      <ChoiceField
        label="Project"
        none={
          found.isFetching
            ? 'Loading…'
            : found.data?.data.length === 0
              ? 'No projects found'
              : 'Choose a project'
        }
        of={found.data?.data.map(({ id, key, name }): [string, string] => [
          id,
          key === name || key.endsWith(`/${name}`) ? key : `${key}: ${name}`,
        ])}
        value={project}
        onChange={setProject}
      />
      <TextField
        label="Label (optional)"
        hint="Only issues with this label become stories."
        maxLength={100}
        value={label}
        onChange={setLabel}
      />
      <Refused error={bind.error ?? found.error} />
      <div className="flex flex-wrap gap-3">
        <Button
          type="submit"
          look="primary"
          busy={bind.isPending}
          forbidden={!chosen && 'Choose a project first'}
        >
          Save project
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </Form>
  )
}

function Repositories({ team, bound, connections }: Bound<'repositories'>) {
  const [bind, may] = [useWrite('teams.bindRepositories', stale), useMay('admin')]
  const [isChoosing, setChoosing] = useState(false)
  const remote = bound.filter((one) => one.connection !== null)
  const save = (next: { connection: string; id: string; name: string }[], said: string) =>
    bind.mutate(
      { team, repositories: next },
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
                <MakeWebhook connection={connection!} scope={remoteId!} />
                <Button
                  size="small"
                  busy={bind.isPending}
                  forbidden={!may && forbidden}
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
        <NoConnection what="To work on a repository at GitHub or GitLab, connect it first. Or use a folder on the server, below." />
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
        <Button forbidden={!may && forbidden} onClick={() => setChoosing(true)}>
          Add repository
        </Button>
      )}
      <Refused error={bind.error} />
    </Section>
  )
}

function RepositoryPicker({
  connections,
  isPending,
  onPick,
  onDone,
}: {
  connections: ConnectionRow[]
  isPending: boolean
  onPick: (picked: { connection: string; id: string; name: string }) => void
  onDone: () => void
}) {
  const [connection, setConnection] = useState(connections[0]!.id)
  const [query, setQuery] = useState('')
  const [repository, setRepository] = useState('')
  const found = useRead('connections.repositories', { connection, query: useSettled(query, typingMs) })
  const chosen = found.data?.data.find(({ id }) => id === repository)
  return (
    <Form onSend={() => chosen && onPick({ connection, id: chosen.id, name: chosen.name })}>
      <ChoiceField
        label="Connection"
        of={named(connections)}
        value={connection}
        onChange={(id) => {
          setConnection(id)
          setRepository('')
        }}
      />
      <TextField label="Find a repository" type="search" value={query} onChange={setQuery} />
      <ChoiceField
        label="Repository"
        none={
          found.isFetching
            ? 'Loading…'
            : found.data?.data.length === 0
              ? 'No repositories found'
              : 'Choose a repository'
        }
        of={found.data?.data.map(({ id, name }): [string, string] => [id, name])}
        value={repository}
        onChange={setRepository}
      />
      <Refused error={found.error} />
      <div className="flex flex-wrap gap-3">
        <Button
          type="submit"
          look="primary"
          busy={isPending}
          forbidden={!chosen && 'Choose a repository first'}
        >
          Add repository
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </Form>
  )
}

/** Creates the webhook over there, where the token may. */
function MakeWebhook({ connection, scope }: { connection: string; scope: string }) {
  const [make, may] = [useWrite('connections.makeWebhook'), useMay('admin')]
  return (
    <Button
      size="small"
      busy={make.isPending}
      forbidden={!may && forbidden}
      onClick={() =>
        make.mutate({ connection, scope }, { onSuccess: () => say('Webhook created'), onError: complain })
      }
    >
      Create webhook
    </Button>
  )
}
