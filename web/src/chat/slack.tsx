import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Form } from '../ui/form.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { Time } from '../ui/time.tsx'
import { complain, say } from '../ui/toast.tsx'

/** What a connection to Slack has beyond those to other tools. */
export function SlackSections({ connection }: { connection: string }) {
  const settings = useRead('chat.settings', { connection }, { every: 5_000 })
  return (
    <Loaded of={settings}>
      {({ byEmail, clickedAt, requestUrl }) => (
        <>
          <Section
            title="Buttons"
            hint="Post a test message and press its button, to see that clicks reach this server."
          >
            <p role="status" className="mb-3 text-sm">
              {clickedAt ? (
                <>
                  Clicks arrive. Last click <Time at={clickedAt} />.
                </>
              ) : (
                'No click has arrived yet.'
              )}
            </p>
            <SendTest connection={connection} />
          </Section>
          {requestUrl && (
            <Section
              title="Request URL"
              hint="Only without Socket Mode: paste it in your Slack app under Interactivity & Shortcuts and under Slash Commands."
            >
              <Copyable text={requestUrl} label="Copy address" />
            </Section>
          )}
          <ByEmail isAllowed={byEmail} />
        </>
      )}
    </Loaded>
  )
}

function SendTest({ connection }: { connection: string }) {
  const [may, test] = [useMay('admin'), useWrite('chat.sendTest')]
  const [link, setLink] = useState('')
  return (
    <Form
      onSend={() => {
        if (may && link.trim() && !test.isPending)
          test.mutate(
            { connection, link: link.trim() },
            { onSuccess: ({ name }) => say(`Posted in ${name}. Press the button there.`) },
          )
      }}
    >
      <TextField
        label="Channel link"
        placeholder="https://your-company.slack.com/archives/C0123ABCD"
        value={link}
        onChange={setLink}
      />
      <Refused error={test.error} />
      <div>
        <Button
          type="submit"
          busy={test.isPending}
          forbidden={!may && 'Only owners and admins can manage connections'}
        >
          Post test message
        </Button>
      </div>
    </Form>
  )
}

function ByEmail({ isAllowed }: { isAllowed: boolean }) {
  const [may, change] = [useMay('owner'), useWrite('chat.linkByEmail', { alsoStale: ['chat'] })]
  return (
    <Section
      title="Who people in Slack are"
      hint="By default, each person links their own Slack account once, with /signalbox link."
    >
      <p className="mb-3 text-sm">
        {isAllowed
          ? 'A Slack account with a confirmed email address is linked to the member with the same address.'
          : 'Email addresses are not used to link accounts.'}
      </p>
      <Button
        busy={change.isPending}
        forbidden={!may && 'Only owners can change this'}
        onClick={() => change.mutate({ allowed: !isAllowed }, { onError: complain })}
      >
        {isAllowed ? 'Stop linking by email' : 'Link by email'}
      </Button>
    </Section>
  )
}
