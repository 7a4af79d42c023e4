import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Field, Textarea } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'

const useMayNot = () => useForbidden('change the allowed networks')

/** Not asked for by those who may not see it. */
export const useNetworks = () => useRead('workspaces.networks', {}, { enabled: !useMayNot() })

/** From where the workspace can be used. Only owners and admins see it. */
export const Networks = () => (useMayNot() ? null : <NetworksSection />)

function NetworksSection() {
  const setting = useNetworks()
  const allow = useAction('workspaces.allowNetworks', { said: 'Changes saved' })
  return (
    <Section
      title="Allowed networks"
      hint="Where this workspace can be used from. Alert sources and Slack aren’t affected."
    >
      <Loaded of={setting} lines={2}>
        {({ networks, runnerNetworks, address }) => (
          <Form
            key={[networks, runnerNetworks].join(' ')}
            className="flex max-w-md flex-col gap-4"
            onSend={(given) =>
              allow.press({
                networks: linesIn(given('networks')),
                runnerNetworks: linesIn(given('runnerNetworks')),
              })
            }
          >
            <List
              label="People and API tokens"
              name="networks"
              value={networks}
              hint={`One address or network per line, such as 203.0.113.0/24. Leave it empty to allow any. Your address is ${address}.`}
            />
            <List
              label="Runners"
              name="runnerNetworks"
              value={runnerNetworks}
              hint="Where runners can connect from. Leave it empty to allow any."
            />
            <Refused error={allow.error} />
            <Button type="submit" busy={allow.isPending} className="self-start">
              Save changes
            </Button>
          </Form>
        )}
      </Loaded>
    </Section>
  )
}

interface ListProps {
  label: string
  name: string
  value: string[]
  hint: string
}

const List = ({ label, name, value, hint }: ListProps) => (
  <Field label={label} hint={hint}>
    {(ids) => (
      <Textarea {...ids} name={name} rows={3} defaultValue={value.join('\n')} className="font-mono" />
    )}
  </Field>
)

const linesIn = (text: string) =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
