import type { ConnectionRow } from '@signalbox/contract/app/connections.ts'
import { useParams } from '@tanstack/react-router'
import {
  Activity,
  CheckCircle2,
  CircleHelp,
  Clock,
  Globe,
  Inbox,
  RotateCw,
  TriangleAlert,
  XCircle,
} from 'lucide-react'
import { useState } from 'react'
import { serverNow } from '../api/clock.ts'
import { useForbidden } from '../api/me.ts'
import { usePages, useRead } from '../api/queries.ts'
import { useUnkept } from '../api/unkept.ts'
import { dateOf, grouped } from '../browser/formats.ts'
import { SlackSections } from '../chat/slack.tsx'
import { ManagedBanner } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { Back } from '../ui/back.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { AskButton, Dialog, DialogEnd, OpenButton } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Link, useGo } from '../ui/link.ts'
import { Listed } from '../ui/listed.tsx'
import { Card, Empty, Loaded, Page, Section } from '../ui/page.tsx'
import { RefusalText } from '../ui/refusal-text.tsx'
import { Refused } from '../ui/refused.tsx'
import { SecretField } from '../ui/secret-field.tsx'
import { TeamName } from '../ui/team-name.tsx'
import { TextField } from '../ui/text-field.tsx'
import { Time } from '../ui/time.tsx'
import { say } from '../ui/toast.tsx'
import { CredentialFields, MethodChoice, Steps } from './credential-fields.tsx'
import { MissingPermissions } from './new.tsx'
import { ConnectionState, isRefused } from './state.tsx'
import { ToolRefusals } from './tool-refusals.tsx'
import { type Tool, toolOf } from './tools.ts'

/** One account at a tool: how it is doing, what it brought, and what can be changed. */
export function ConnectionScreen() {
  const { connection } = useParams({ from: '/$ws/settings/connections/$connection' })
  const read = useRead('connections.read', { connection }, { every: 15_000 })
  return (
    <Page
      title={read.data?.name ?? 'Connection'}
      above={<Back to="/$ws/settings/connections" />}
      aside={
        read.data && (
          <>
            <TestButton connection={read.data} />
            <ReplaceCredentials connection={read.data} tool={toolOf(read.data.kind)} />
            <ReplaceCredentials connection={read.data} tool={toolOf(read.data.kind)} withAddress />
          </>
        )
      }
    >
      <Loaded of={read}>{(found) => <Shown connection={found} />}</Loaded>
    </Page>
  )
}

function Shown({ connection }: { connection: ConnectionRow }) {
  const tool = toolOf(connection.kind)
  return (
    <>
      <ManagedBanner kind="connections" which={{ id: connection.id }} />
      <MissingPermissions missing={connection.missing} />
      <ToolRefusals of={connection.refusals} toTry="Fix the cause, then choose Test to try immediately." />
      <Section title="Health">
        <Card>
          <dl className="grid gap-x-6 gap-y-3 p-4 text-sm sm:grid-cols-2">
            <Fact name="Status">
              <ConnectionState of={connection} />
            </Fact>
            <Fact name="Account">
              {tool.name} as {connection.account ?? 'an unknown account'}
            </Fact>
            <Fact name="Address">
              <span className="break-all">{connection.baseUrl}</span>
            </Fact>
            <Fact name="Last success">
              {connection.lastSuccessAt ? <Time at={connection.lastSuccessAt} /> : 'None yet'}
            </Fact>
            <Fact name="Last refusal">
              {connection.lastRefusalAt ? (
                <span className={isRefused(connection) ? 'text-danger' : ''}>
                  <RefusalText text={connection.lastRefusal ?? ''} /> <Time at={connection.lastRefusalAt} />
                </span>
              ) : (
                'None'
              )}
            </Fact>
            <Fact name="Requests left">
              {connection.limit
                ? `${grouped(connection.limit.left)}${connection.limit.of ? ` of ${grouped(connection.limit.of)}` : ''}`
                : 'Not reported'}
            </Fact>
            {connection.writes && (
              <Fact name="Writes">
                {connection.writes.lastHour} of {connection.writes.perHour} in the last hour,{' '}
                {connection.writes.lastMinute} of {connection.writes.perMinute} in the last minute
              </Fact>
            )}
            {connection.hooks && (
              <Fact name="Webhooks">
                <HookState hooks={connection.hooks} />
              </Fact>
            )}
          </dl>
        </Card>
      </Section>
      {connection.kind === 'slack' && <SlackSections connection={connection.id} />}
      <Teams connection={connection} />
      {connection.kind !== 'slack' && connection.hookUrl && (
        <Webhook connection={connection} url={connection.hookUrl} tool={tool} />
      )}
      <Deliveries connection={connection.id} />
      <Disconnect connection={connection} />
    </>
  )
}

const hookWords = {
  working: ['ok', CheckCircle2, 'Working'],
  failing: ['warn', TriangleAlert, 'Deliveries failed'],
  off: ['danger', XCircle, 'Turned off'],
  none: ['info', Clock, 'No webhook'],
  unknown: ['info', CircleHelp, 'Unknown'],
} as const

/** What the hourly look at the tool found. */
function HookState({ hooks }: { hooks: NonNullable<ConnectionRow['hooks']> }) {
  const [tone, icon, word] = hookWords[hooks.state]
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge tone={tone} icon={icon} word={word} />
      <span className="min-w-0">{hooks.note}</span>
      <span className="text-muted">
        Checked <Time at={hooks.lookedAt} />
      </span>
    </span>
  )
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </div>
)

function Teams({ connection }: { connection: ConnectionRow }) {
  return (
    <Section title="Teams" hint="A team chooses its project and repositories in its settings.">
      {connection.teams.length === 0 ? (
        <p className="text-sm text-muted">
          No team uses this connection yet.{' '}
          <Link to="/$ws/teams" className="text-accent underline">
            Choose a team
          </Link>
        </p>
      ) : (
        <ul className="flex flex-wrap gap-3 text-sm">
          {connection.teams.map((team) => (
            <li key={team}>
              <Link
                to="/$ws/teams/$team/settings/general"
                params={{ team }}
                className="text-accent underline"
              >
                <TeamName of={team} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function TestButton({ connection }: { connection: ConnectionRow }) {
  const forbidden = useForbidden('manage connections')
  const test = useAction('connections.test', {
    said: ({ account, missing }) =>
      missing.length === 0 ? `Connected as ${account}` : 'Connected, but a permission is missing',
  })
  return (
    <Button
      icon={<Activity size={14} />}
      forbidden={forbidden}
      {...test.button({ connection: connection.id })}
    >
      Test
    </Button>
  )
}

/**
 * New credentials, at the same address or at another one. A new address never gets the old credentials, so both are
 * asked for together.
 */
function ReplaceCredentials({ connection, tool, withAddress = false }: ReplaceProps) {
  const forbidden = useForbidden('manage connections')
  if (tool.ways.length === 0 || (withAddress && !tool.url)) return null
  return (
    <OpenButton
      label={withAddress ? 'Change address' : 'Replace credentials'}
      icon={withAddress ? <Globe size={14} /> : <RotateCw size={14} />}
      forbidden={forbidden}
    >
      {(close) => (
        <ReplaceDialog connection={connection} tool={tool} withAddress={withAddress} onClose={close} />
      )}
    </OpenButton>
  )
}

interface ReplaceProps {
  connection: ConnectionRow
  tool: Tool
  withAddress?: boolean
}

function ReplaceDialog({ connection, tool, withAddress, onClose }: ReplaceProps & { onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [method, setMethod] = useState<string>(connection.method)
  const [credentials, setCredentials] = useState<Record<string, string>>({})
  const replace = useUnkept('connections.replaceCredentials')
  const way = tool.ways.find((one) => one.method === method) ?? tool.ways[0]!
  const send = () =>
    void replace.send(
      { connection: connection.id, credentials, ...(withAddress ? { baseUrl: url.trim() } : {}) },
      ({ account }) => {
        say(`${withAddress ? 'Address changed' : 'Credentials replaced'}, connected as ${account}`)
        onClose()
      },
    )
  return (
    <FormDialog
      onClose={onClose}
      title={withAddress ? 'Change address' : 'Replace credentials'}
      description={
        withAddress
          ? `For a server that has moved. The new address is tested with the credentials you enter here; the current ones are never sent to it. Create the webhooks again afterwards. For another ${tool.name}, add a connection instead.`
          : 'The new ones are tested first. Until the test succeeds, the current ones stay in use.'
      }
      of={replace}
      action={withAddress ? 'Test and change' : 'Test and replace'}
      onSend={send}
    >
      {withAddress && tool.url && (
        <TextField
          label={`New ${tool.url.label}`}
          hint={`Now: ${connection.baseUrl}`}
          placeholder={tool.url.placeholder}
          required
          inputMode="url"
          autoComplete="off"
          value={url}
          onChange={setUrl}
        />
      )}
      <MethodChoice
        tool={tool}
        value={way.method}
        onChange={(next) => {
          setMethod(next)
          setCredentials({})
        }}
      />
      <CredentialFields way={way} values={credentials} onChange={setCredentials} />
    </FormDialog>
  )
}

function Webhook({ connection, url, tool }: { connection: ConnectionRow; url: string; tool: Tool }) {
  return (
    <Section
      title="Webhook"
      hint={
        connection.lastDeliveryAt ? (
          <>
            Last delivery <Time at={connection.lastDeliveryAt} />.
          </>
        ) : (
          'Nothing has arrived yet. Until then, changes are fetched every few minutes.'
        )
      }
    >
      <div className="flex flex-col gap-3">
        <Copyable text={url} label="Copy address" />
        <div>
          <OpenButton label="Replace secret" size="small">
            {(close) => <ReplaceSecret connection={connection} onClose={close} />}
          </OpenButton>
        </div>
        {connection.formerSecretUntil && Date.parse(connection.formerSecretUntil) > serverNow() && (
          <p className="text-xs text-muted">
            The old secret still works until {dateOf(connection.formerSecretUntil)}.
          </p>
        )}
        <details className="text-sm">
          <summary className="cursor-pointer text-muted">Create it manually</summary>
          <div className="pt-2">
            <Steps of={tool.hookSteps} />
          </div>
        </details>
      </div>
    </Section>
  )
}

/** A new secret of ours, or the one that the tool has made. What was made is held here until the dialog closes. */
function ReplaceSecret({ connection, onClose }: { connection: ConnectionRow; onClose: () => void }) {
  const [given, setGiven] = useState('')
  const [shown, setShown] = useState<string | null>(null)
  const replace = useUnkept('connections.replaceSecret')
  const submit = () =>
    void replace.send(
      { connection: connection.id, ...(given ? { secret: given } : {}) },
      ({ webhookSecret }) => {
        if (!given) return setShown(webhookSecret)
        say('Secret saved')
        onClose()
      },
    )
  return (
    <Dialog
      onClose={onClose}
      title="Replace webhook secret"
      description="The current secret keeps working for 24 hours."
    >
      {shown ? (
        <div className="flex flex-col gap-3">
          <p role="status" className="text-sm">
            Copy the new secret now. You won’t see it again.
          </p>
          <Copyable text={shown} label="Copy secret" />
          <div className="flex justify-end">
            <Button onClick={onClose}>I’ve copied it</Button>
          </div>
        </div>
      ) : (
        <Form onSend={submit}>
          <SecretField
            label="Secret from the tool (optional)"
            hint="Linear creates its own: paste it here. Leave it empty to get a new one."
            value={given}
            onChange={setGiven}
          />
          <Refused error={replace.error} />
          <DialogEnd action="Replace secret" busy={replace.isPending} onClose={onClose} />
        </Form>
      )}
    </Dialog>
  )
}

function Deliveries({ connection }: { connection: string }) {
  const deliveries = usePages('connections.deliveries', { connection, limit: 25 })
  return (
    <Section
      title="Recent deliveries"
      hint="What the webhook sent, and how it was read. Kept for 14 days. Deliveries with a wrong signature are refused and not listed."
    >
      <Listed
        of={deliveries}
        empty={<Empty icon={Inbox} title="No deliveries yet" />}
        caption="Deliveries"
        keyOf={({ id }) => id}
        columns={[
          { title: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
          { title: 'Event', cell: ({ event }) => <code className="text-xs">{event}</code> },
          {
            ...{ title: 'Understood', className: 'md:w-full' },
            cell: ({ understood, understoodAt }) => (
              <span className="flex flex-wrap items-center gap-2 max-md:justify-end">
                <Badge
                  tone={understoodAt ? 'ok' : 'info'}
                  icon={understoodAt ? CheckCircle2 : Clock}
                  word={understoodAt ? 'Done' : 'Waiting'}
                />
                <span className="min-w-0 wrap-anywhere">{understood}</span>
              </span>
            ),
          },
        ]}
      />
    </Section>
  )
}

function Disconnect({ connection: { id, name } }: { connection: ConnectionRow }) {
  const [go, forbidden] = [useGo(), useForbidden('manage connections')]
  const disconnect = useAction('connections.disconnect', {
    said: `${name} disconnected`,
    next: () => go({ to: '/$ws/settings/connections' }),
  })
  return (
    <Section
      title="Disconnect"
      hint="Erases the credentials. Also revoke the token in the tool. A connection that a team uses can’t be disconnected."
    >
      <AskButton
        label={`Disconnect ${name}`}
        look="danger"
        forbidden={forbidden}
        does={disconnect}
        to={{ connection: id }}
        title={`Disconnect ${name}?`}
        action="Disconnect"
      >
        Its credentials and its delivery log are erased. This can’t be undone.
      </AskButton>
    </Section>
  )
}
