import { useState } from 'react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Form, FormEnd } from '../ui/form.tsx'
import { Loaded, Section } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'
import { Time } from '../ui/time.tsx'

/** What a connection to Slack has beyond those to other tools. */
export function SlackSections({ connection }: { connection: string }) {
  const settings = useRead('chat.settings', { connection }, { every: 5_000 })
  return (
    <Loaded of={settings}>
      {({ byEmail, clickedAt, requestUrl }) => (
        <>
          <Section
            title="Buttons"
            hint="Post a test message and press its button to check that clicks reach this server."
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
  const forbidden = useForbidden('manage connections')
  const [link, setLink] = useState('')
  const test = useAction('chat.sendTest', {
    said: ({ name }) => `Posted in ${name}. Press the button there.`,
  })
  return (
    <Form onSend={() => !forbidden && link.trim() && test.send({ connection, link: link.trim() })}>
      <TextField
        label="Channel link"
        placeholder="https://your-company.slack.com/archives/C0123ABCD"
        value={link}
        onChange={setLink}
      />
      <FormEnd look="plain" of={test} forbidden={forbidden}>
        Post test message
      </FormEnd>
    </Form>
  )
}

function ByEmail({ isAllowed }: { isAllowed: boolean }) {
  const forbidden = useForbidden('change this', 'owner')
  const change = useAction('chat.linkByEmail', { alsoStale: ['chat'] })
  return (
    <Section
      title="Linked Slack accounts"
      hint="By default, each person links their own Slack account once, with /signalbox link."
    >
      <p className="mb-3 text-sm">
        {isAllowed
          ? 'A Slack account with a confirmed email address is linked to the member with the same address.'
          : 'Email addresses aren’t used to link accounts.'}
      </p>
      <Button forbidden={forbidden} {...change.button({ allowed: !isAllowed })}>
        {isAllowed ? 'Stop linking by email' : 'Link by email'}
      </Button>
    </Section>
  )
}
