import { useSearch } from '@tanstack/react-router'
import { KeyRound, Lock, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useUnkept } from '../api/unkept.ts'
import { Back } from '../ui/back.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Form, FormEnd } from '../ui/form.tsx'
import { Link } from '../ui/link.ts'
import { Card, Empty, Page, Section } from '../ui/page.tsx'
import { NameField, TextField } from '../ui/text-field.tsx'
import { CreateApp } from './create-app.tsx'
import { CredentialFields, MethodChoice, Steps } from './credential-fields.tsx'
import { type Tool, tools } from './tools.ts'

interface Made {
  id: string
  account: string
  missing: string[]
  hookUrl: string
  /** Shown now and never again. */
  webhookSecret: string
}

/** Choose a tool, see what to click there, paste what it gives. It is tested before it is kept. */
export function NewConnection() {
  const search = useSearch({ from: '/$ws/settings/connections/new' })
  const may = useMay('admin')
  const [made, setMade] = useState<Made | null>(null)
  const tool = tools.find(({ kind }) => kind === search.kind)
  const title = made ? `${tool!.name} is connected` : tool ? `Connect ${tool.name}` : 'Add connection'
  return (
    <Page title={title} above={<Back to="/$ws/settings/connections" />}>
      {!may ? (
        <Empty icon={Lock} title="Only owners and admins can manage connections">
          Ask an owner or admin to add it.
        </Empty>
      ) : made && tool ? (
        <Connected made={made} tool={tool} />
      ) : tool ? (
        <ConnectForm key={tool.kind} tool={tool} onMade={setMade} />
      ) : (
        <ul className="grid gap-3 sm:grid-cols-2">
          {tools.map(({ kind, name, about, icon: Icon }) => (
            <li key={kind}>
              <Link
                to="/$ws/settings/connections/new"
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
          ))}
        </ul>
      )}
    </Page>
  )
}

function ConnectForm({ tool, onMade }: { tool: Tool; onMade: (made: Made) => void }) {
  const [name, setName] = useState(tool.name)
  const [url, setUrl] = useState('')
  const [method, setMethod] = useState<string>(tool.ways[0]!.method)
  const [credentials, setCredentials] = useState<Record<string, string>>({})
  const connect = useUnkept('connections.connect')
  const way = tool.ways.find((one) => one.method === method)!
  const submit = () => {
    if (connect.isPending) return
    const baseUrl = url.trim() ? { baseUrl: url.trim() } : {}
    const given = Object.fromEntries(Object.entries(credentials).filter(([, value]) => value !== ''))
    void connect.send({ kind: tool.kind, name, ...baseUrl, credentials: given }, onMade)
  }
  const isApp = method === 'app'
  return (
    <div className="max-w-2xl">
      <div className="mb-6 max-w-xs empty:hidden">
        <MethodChoice
          tool={tool}
          value={method}
          onChange={(next) => {
            setMethod(next)
            setCredentials({})
          }}
        />
      </div>
      {isApp && <CreateApp />}
      <Section title={isApp ? 'Or use an app you already have' : `In ${tool.name}`}>
        <Steps of={way.steps} />
        {way.manifest && (
          <div className="mt-3">
            <Copyable text={way.manifest} label="Copy manifest" shown="Manifest of the Slack app (JSON)" />
          </div>
        )}
      </Section>
      <Section title="Here">
        <Form onSend={submit}>
          <NameField hint={`For example ${tool.name}.`} value={name} onChange={setName} />
          {tool.url && (
            <TextField
              label={tool.url.label}
              hint={tool.url.hint}
              placeholder={tool.url.placeholder}
              required={tool.url.isRequired}
              inputMode="url"
              value={url}
              onChange={setUrl}
            />
          )}
          <CredentialFields way={way} values={credentials} onChange={setCredentials} />
          <FormEnd of={connect}>Test and connect</FormEnd>
        </Form>
      </Section>
    </div>
  )
}

function Connected({ made, tool }: { made: Made; tool: Tool }) {
  return (
    <div className="max-w-2xl">
      <p role="status" className="mb-6 text-sm">
        Connected as <strong className="font-medium">{made.account}</strong>. Credentials are stored
        encrypted.
      </p>
      <MissingPermissions missing={made.missing} />
      {tool.hookSteps.length > 0 && <WebhookByHand made={made} tool={tool} />}
      <div className="flex flex-wrap gap-2">
        <Link
          to="/$ws/settings/connections/$connection"
          params={{ connection: made.id }}
          className={buttonClass('primary')}
        >
          Go to connection
        </Link>
        <Link to="/$ws/teams" className={buttonClass()}>
          Choose a team
        </Link>
      </div>
    </div>
  )
}

/** What the last test missed, in sentences of the tool. */
export const MissingPermissions = ({ missing }: { missing: string[] }) =>
  missing.length > 0 && (
    <div className="mb-6 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
      <p className="flex items-center gap-2 font-medium">
        <TriangleAlert size={15} aria-hidden="true" className="shrink-0" />
        Something is missing
      </p>
      <ul className="mt-1 list-disc pl-6">
        {missing.map((one) => (
          <li key={one}>{one.replaceAll('`', '')}</li>
        ))}
      </ul>
    </div>
  )

function WebhookByHand({ made, tool }: { made: Made; tool: Tool }) {
  return (
    <Section
      title="Webhook"
      hint="Changes arrive within a second. Without a webhook, or where the tool can’t reach this server, changes are fetched every few minutes."
    >
      <div className="flex flex-col gap-3">
        <Copyable text={made.hookUrl} label="Copy address" />
        {!tool.makesSecret && (
          <Card className="flex flex-col gap-2 border-warn! bg-warn-soft p-4">
            <p className="flex items-start gap-2 text-sm">
              <KeyRound size={15} aria-hidden="true" className="mt-0.5 shrink-0 text-warn" />
              Copy the secret now if you create the webhook manually. You won’t see it again.
            </p>
            <Copyable text={made.webhookSecret} label="Copy secret" />
          </Card>
        )}
        <Steps of={tool.hookSteps} />
        <p className="text-sm text-muted">
          Or let us create it: choose a project or repository in a team’s settings, then select Create
          webhook.
        </p>
      </div>
    </Section>
  )
}
