import { maxShortNameLength } from '@signalbox/contract/limits.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Field, Input, Switch } from '../ui/field.tsx'
import { Form, type Given } from '../ui/form.tsx'
import { Loaded, Page, Section } from '../ui/page.tsx'
import { say } from '../ui/toast.tsx'
import { LeavingOrDeleting } from './danger.tsx'
import { Networks, useNetworks } from './networks.tsx'

export function General() {
  const workspace = useRead('workspaces.read', {})
  // Shown together: each part would push down what is below it.
  const parts = [useRead('workspaces.ownAnswers', {}), useNetworks()]
  const isWhole = parts.every(({ isLoading }) => !isLoading)
  return (
    <Page title="General">
      <Loaded of={isWhole ? workspace : { ...workspace, data: undefined }} lines={3}>
        {({ name, slug, createdAt }) => (
          <>
            <Section title="Workspace" hint={`Created ${dateOf(createdAt)}`}>
              <div className="flex max-w-md flex-col gap-4">
                <NameForm key={name} name={name} />
                <div className="flex flex-col gap-1">
                  <div className="text-sm font-medium">Address</div>
                  <Copyable text={`${location.origin}/${slug}`} label="Copy address" />
                  <p className="text-xs text-muted">
                    The slug <code className="font-mono">{slug}</code> can’t be changed, because links and
                    bookmarks use it.
                  </p>
                </div>
              </div>
            </Section>
            <OwnAnswers />
            <Networks />
            <LeavingOrDeleting name={name} slug={slug} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Nothing shows whether a person or their agent used a token. */
function OwnAnswers() {
  const forbidden = useForbidden('change this')
  const setting = useRead('workspaces.ownAnswers', {})
  const set = useAction('workspaces.setOwnAnswers', { said: 'Changes saved' })
  return (
    <Section
      title="Coding agents"
      hint="Agents that people run on their own machines ask questions through the MCP server."
    >
      <Loaded of={setting} lines={1}>
        {({ allowed }) => (
          <div className="max-w-2xl">
            <Switch
              label="People can answer their own agent’s questions with a token"
              hint={
                allowed
                  ? 'An agent that has its person’s token can answer its own questions.'
                  : 'People answer in the app or in chat.'
              }
              checked={allowed}
              forbidden={forbidden}
              onChange={(next) => set.press({ allowed: next })}
            />
          </div>
        )}
      </Loaded>
    </Section>
  )
}

function NameForm({ name }: { name: string }) {
  const forbidden = useForbidden('rename the workspace')
  const client = useQueryClient()
  const change = useAction('workspaces.change', {
    said: 'Workspace renamed',
    // The sidebar has it from there.
    next: () => client.invalidateQueries({ queryKey: ['', 'me'] }),
  })
  const submit = (given: Given) => {
    const next = given('name').trim()
    if (next === name) say('That’s already its name')
    else change.press({ name: next })
  }
  return (
    <Form onSend={(given) => !forbidden && submit(given)}>
      <Field label="Name" hint={forbidden}>
        {(ids) => (
          <div className="flex gap-2">
            <Input
              {...ids}
              name="name"
              defaultValue={name}
              readOnly={forbidden !== false}
              required
              maxLength={maxShortNameLength}
              pattern=".*\S.*"
              autoComplete="off"
            />
            <Button type="submit" busy={change.isPending} forbidden={forbidden}>
              Rename
            </Button>
          </div>
        )}
      </Field>
    </Form>
  )
}
