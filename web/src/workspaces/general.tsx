import { maxShortNameLength } from '@signalbox/contract/limits.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useMay } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Field, Input, Switch } from '../ui/field.tsx'
import { Form, type Given } from '../ui/form.tsx'
import { Loaded, Page, Section } from '../ui/page.tsx'
import { dateOf } from '../ui/time.tsx'
import { complain, say } from '../ui/toast.tsx'
import { LeavingOrDeleting } from './danger.tsx'

const reason = 'Only owners and admins can rename the workspace'

export function General() {
  const workspace = useRead('workspaces.read', {})
  return (
    <Page title="General">
      <Loaded of={workspace} lines={3}>
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
            <LeavingOrDeleting name={name} slug={slug} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Nothing shows whether a person or their agent used a token. */
function OwnAnswers() {
  const may = useMay('admin')
  const setting = useRead('workspaces.ownAnswers', {})
  const set = useWrite('workspaces.setOwnAnswers')
  const change = (allowed: boolean) =>
    set.mutate({ allowed }, { onSuccess: () => say('Changes saved'), onError: complain })
  return (
    <Section
      title="Coding agents"
      hint="Agents that people run on their own machines ask questions through the MCP server."
    >
      <Loaded of={setting} lines={1}>
        {({ allowed }) => (
          <Switch
            label="People can answer their own agent’s questions with a token"
            hint={
              allowed
                ? 'An agent that holds its person’s token can answer itself.'
                : 'They answer in the app or in chat, or someone else answers.'
            }
            checked={allowed}
            forbidden={!may && 'Only owners and admins can change this'}
            onChange={change}
          />
        )}
      </Loaded>
    </Section>
  )
}

function NameForm({ name }: { name: string }) {
  const may = useMay('admin')
  const client = useQueryClient()
  const change = useWrite('workspaces.change')
  const submit = (given: Given) => {
    if (!may) return
    const next = given('name').trim()
    if (next === name) return say('That’s already its name')
    change.mutate(
      { name: next },
      {
        onSuccess: () => {
          say('Workspace renamed')
          // The sidebar has it from there.
          void client.invalidateQueries({ queryKey: ['', 'me'] })
        },
        onError: complain,
      },
    )
  }
  return (
    <Form onSend={submit}>
      <Field label="Name" hint={may ? undefined : reason}>
        {(ids) => (
          <div className="flex gap-2">
            <Input
              {...ids}
              name="name"
              defaultValue={name}
              readOnly={!may}
              required
              maxLength={maxShortNameLength}
              pattern=".*\S.*"
              autoComplete="off"
            />
            <Button type="submit" busy={change.isPending} forbidden={!may && reason}>
              Rename
            </Button>
          </div>
        )}
      </Field>
    </Form>
  )
}
