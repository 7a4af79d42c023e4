import type { ConnectionRow } from '@signalbox/contract/app/connections.ts'
import type { TeamRow } from '@signalbox/contract/app/teams.ts'
import { useState } from 'react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { ManagedNote, UnlockButton, useForbiddenHere } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Form, FormEnd } from '../ui/form.tsx'
import { Link } from '../ui/link.ts'
import { Loaded, Section } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'

const alsoStale = ['chat', 'services']

/** The channels in which a team's decisions and incidents are shown. */
export function ChannelsSection({ team }: { team: TeamRow }) {
  const channels = useRead('chat.channels', { team: team.slug })
  const connections = useRead('connections.list', {})
  const slack = connections.data?.data.filter(({ kind }) => kind === 'slack') ?? []
  return (
    <Section title="Channels" hint="Decisions and incidents of this team are posted here.">
      <Loaded of={channels} lines={2}>
        {({ data }) =>
          data.length > 0 && (
            <ul className="mb-3 divide-y rounded-lg border">
              {data.map(({ id, name, connectionName }) => (
                <li key={id} className="flex flex-wrap items-center justify-between gap-3 px-3 py-2 text-sm">
                  <span className="min-w-0 break-words">
                    {name}{' '}
                    <span className={connectionName ? 'text-muted' : 'text-danger'}>
                      {connectionName ? `through ${connectionName}` : 'Not connected. Add it again.'}
                    </span>
                    <ManagedNote kind="places" which={{ id }} />
                  </span>
                  <RemoveChannel team={team.slug} channel={id} name={name} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {slack.length > 0 ? (
        <AddChannel team={team.slug} connections={slack} />
      ) : (
        <p className="text-sm text-muted">
          To answer decisions in Slack,{' '}
          <Link
            to="/$ws/settings/connections/new"
            search={{ kind: 'slack' }}
            className="text-accent underline"
          >
            connect Slack
          </Link>{' '}
          first.
        </p>
      )}
    </Section>
  )
}

function RemoveChannel({ name, ...input }: { name: string; team: string; channel: string }) {
  const forbidden = useForbiddenHere('change team settings', 'places', { id: input.channel })
  const remove = useAction('chat.removeChannel', { alsoStale, said: `${name} removed` })
  return (
    <span className="flex gap-2">
      <UnlockButton kind="places" id={input.channel} />
      <Button size="small" forbidden={forbidden} {...remove.button(input)}>
        Remove
      </Button>
    </span>
  )
}

function AddChannel({ team, connections }: { team: string; connections: ConnectionRow[] }) {
  const forbidden = useForbidden('change team settings')
  const [connection, setConnection] = useState(connections[0]!.id)
  const [link, setLink] = useState('')
  const add = useAction('chat.addChannel', {
    alsoStale,
    said: ({ name }) => `${name} added`,
    next: () => setLink(''),
  })
  const submit = () => !forbidden && link.trim() && add.send({ team, connection, link: link.trim() })
  return (
    <Form onSend={submit}>
      {connections.length > 1 && (
        <ChoiceField
          label="Connection"
          of={connections.map(({ id, name }): [string, string] => [id, name])}
          value={connection}
          onChange={setConnection}
        />
      )}
      <TextField
        label="Channel link"
        hint="In Slack, open the channel’s menu and choose Copy link. Invite Signalbox to the channel first."
        placeholder="https://your-company.slack.com/archives/C0123ABCD"
        value={link}
        onChange={setLink}
      />
      <FormEnd look="plain" of={add} forbidden={forbidden}>
        Add channel
      </FormEnd>
    </Form>
  )
}
