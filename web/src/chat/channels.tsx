import type { ConnectionRow } from '@signalbox/contract/app/connections.ts'
import type { TeamRow } from '@signalbox/contract/app/teams.ts'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWorkspace, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Form } from '../ui/form.tsx'
import { Link, Loaded, Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { complain, say } from '../ui/toast.tsx'

const forbidden = 'Only owners and admins can change team settings'

/** The channels in which a team's decisions and incidents are shown. */
export function ChannelsSection({ team }: { team: TeamRow }) {
  const [ws, may] = [useWorkspace(), useMay('admin')]
  const channels = useRead('chat.channels', { team: team.slug })
  const connections = useRead('connections.list', {})
  const remove = useWrite('chat.removeChannel', { alsoStale: ['chat', 'services'] })
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
                  </span>
                  <Button
                    size="small"
                    busy={remove.isPending}
                    forbidden={!may && forbidden}
                    onClick={() =>
                      remove.mutate(
                        { team: team.slug, channel: id },
                        { onSuccess: () => say(`${name} removed`), onError: complain },
                      )
                    }
                  >
                    Remove
                  </Button>
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
            params={{ ws }}
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

function AddChannel({ team, connections }: { team: string; connections: ConnectionRow[] }) {
  const may = useMay('admin')
  const add = useWrite('chat.addChannel', { alsoStale: ['chat', 'services'] })
  const [connection, setConnection] = useState(connections[0]!.id)
  const [link, setLink] = useState('')
  const submit = () => {
    if (!may || !link.trim() || add.isPending) return
    add.mutate(
      { team, connection, link: link.trim() },
      {
        onSuccess: ({ name }) => {
          say(`${name} added`)
          setLink('')
        },
      },
    )
  }
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
      <Refused error={add.error} />
      <div>
        <Button type="submit" busy={add.isPending} forbidden={!may && forbidden}>
          Add channel
        </Button>
      </div>
    </Form>
  )
}
