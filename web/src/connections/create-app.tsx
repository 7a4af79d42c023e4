import { maxNameLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { useWorkspace } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { Form, FormEnd } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'

/** GitHub creates the app from what we ask for; nothing has to be copied. */
export function CreateApp() {
  const ws = useWorkspace()
  const [name, setName] = useState('Signalbox')
  const [organization, setOrganization] = useState('')
  const [url, setUrl] = useState('')
  const start = useAction('connections.startApp', {
    next: ({ id }) => location.assign(`/api/w/${encodeURIComponent(ws)}/github-apps/${id}`),
  })
  const submit = () =>
    start.send({
      name,
      ...(organization.trim() ? { organization: organization.trim() } : {}),
      ...(url.trim() ? { baseUrl: url.trim() } : {}),
    })
  return (
    <Section
      title="Create GitHub App"
      hint="GitHub shows you what the app may do. Confirm there, then choose its repositories. You come back here after each step."
    >
      <Form onSend={submit}>
        <TextField
          label="Name of the app"
          hint="Must be unique on GitHub. You can change it there."
          required
          maxLength={Math.min(34, maxNameLength)}
          value={name}
          onChange={setName}
        />
        <TextField
          label="Organization (optional)"
          hint="Its name in the address, such as acme. Leave it empty for your own account."
          autoComplete="off"
          value={organization}
          onChange={setOrganization}
        />
        <TextField
          label="GitHub URL"
          hint="Leave it empty for GitHub.com. For GitHub Enterprise, the address you open in the browser."
          placeholder="https://github.com"
          inputMode="url"
          value={url}
          onChange={setUrl}
        />
        <FormEnd of={{ ...start, isPending: start.isPending || start.isSuccess }}>Create GitHub App</FormEnd>
      </Form>
    </Section>
  )
}
