import { maxRequirementLength } from '@signalbox/contract/limits.ts'
import { asksFor } from '@signalbox/contract/remedy.ts'
import { useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useRead, useWorkspace } from '../api/queries.ts'
import { counted } from '../browser/formats.ts'
import { NoTeam } from '../teams/no-team.tsx'
import { useAction } from '../ui/action.ts'
import { Back } from '../ui/back.tsx'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Field, Textarea } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { useGo } from '../ui/link.ts'
import { Markdown } from '../ui/markdown.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'
import { RefusalText } from '../ui/refusal-text.tsx'
import { lengthNear } from '../ui/text-field.tsx'
import { useUnsent } from './unsent.ts'

export function NewRequirement() {
  const teams = useRead('teams.list', {})
  return (
    <Page title="Submit requirement" above={<Back to="/$ws/intake" />}>
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <Loaded of={teams}>
          {(found) =>
            found.length === 0 ? (
              <NoTeam otherwise="An owner or admin can create one.">A requirement belongs to a team.</NoTeam>
            ) : (
              <SubmitForm teams={found} />
            )
          }
        </Loaded>
        <div className="flex flex-col gap-4">
          <WhatFollows />
          <WithoutModel />
        </div>
      </div>
    </Page>
  )
}

function SubmitForm({ teams }: { teams: { slug: string; name: string }[] }) {
  const ws = useWorkspace()
  const navigate = useGo()
  const search = useSearch({ from: '/$ws/intake/new' })
  const [team, setTeam] = useState(
    () => teams.find(({ slug }) => slug === search.team)?.slug ?? teams[0]!.slug,
  )
  const { text, setText, restored, forget } = useUnsent(ws)
  const [preview, setPreview] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const submit = useAction('requirements.submit', {
    alsoStale: ['stories', 'teams'],
    said: 'Requirement submitted',
    next: ({ slug }) => {
      forget()
      void navigate({ to: '/$ws/intake/$slug', params: { slug } })
    },
  })
  const tooLong = text.length > maxRequirementLength
  const missing = text.trim() === '' ? 'Enter a requirement first' : tooLong && 'The text is too long'
  return (
    <Form
      isKept
      ref={form}
      onSend={() => !missing && submit.press({ team, text })}
      className="flex min-w-0 flex-col gap-4"
    >
      <ChoiceField
        label="Team"
        hint="The drafts become stories of this team."
        value={team}
        onChange={setTeam}
        className="max-w-xs"
        of={teams.map(({ slug, name }) => [slug, name])}
      />
      <Field
        label="What do you need?"
        error={
          tooLong ? `${counted(text.length - maxRequirementLength, 'character')} over the limit` : undefined
        }
        hint={
          <span className="flex flex-wrap justify-between gap-x-4">
            <span>
              {restored
                ? 'Restored from your last visit. Saved in this browser until you submit it.'
                : 'Markdown. Saved in this browser until you submit it.'}
            </span>
            <span className="tabular-nums">{lengthNear(text.length, maxRequirementLength)}</span>
          </span>
        }
      >
        {(ids) => (
          <Textarea
            {...ids}
            value={text}
            rows={18}
            className="font-mono"
            placeholder={
              'For example:\n\nAs a customer, I want to see when my parcel arrives, so that I don’t have to call support.\n\n- The order page shows the delivery window.'
            }
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) form.current?.requestSubmit()
            }}
          />
        )}
      </Field>
      {preview && text.trim() !== '' && (
        <Card className="p-4">
          <Markdown text={text} />
        </Card>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={submit.isPending} forbidden={missing}>
          {submit.isPending ? 'Submitting…' : 'Submit'}
        </Button>
        <Button
          look="quiet"
          aria-pressed={preview}
          forbidden={text.trim() === '' && 'Nothing to preview yet'}
          onClick={() => setPreview(!preview)}
        >
          {preview ? 'Hide preview' : 'Preview'}
        </Button>
      </div>
      <p role="status" className="text-sm text-muted empty:hidden">
        {submit.isPending ? 'Drafting stories. This can take a minute.' : ''}
      </p>
    </Form>
  )
}

const WhatFollows = () => (
  <aside aria-labelledby="what-follows">
    <Card className="p-4">
      <h2 id="what-follows" className="mb-2 text-sm font-semibold">
        What happens next
      </h2>
      <ol className="flex list-decimal flex-col gap-2 pl-4 text-sm text-muted">
        <li>Your text is split into draft stories. If it’s vague, you get up to three questions first.</li>
        <li>You edit the drafts. Each one shows what’s still missing.</li>
        <li>You approve drafts with a readiness of 100, and reject the ones you don’t want.</li>
        <li>Approved drafts are written to the tracker. Then the team can start on them.</li>
      </ol>
    </Card>
  </aside>
)

/** Said before the text is written: what rules can do, and what a language model would do better. */
function WithoutModel() {
  const integrations = useRead('workspaces.integrations', {})
  if (!integrations.data || integrations.data.splitter) return null
  return (
    <aside aria-labelledby="without-model">
      <Card className="p-4 text-sm text-muted">
        <h2 id="without-model" className="mb-2 font-semibold text-text">
          No language model is connected
        </h2>
        <p>
          Your text is split by its layout: a heading or an “As a …, I want …” sentence for each story, and a
          list or “AC:” for its criteria. Nothing is rephrased, and questions only look at English words.
        </p>
        <p className="mt-2">
          With a model, plain prose is split too, missing criteria are suggested, and questions fit your text.{' '}
          <RefusalText text={asksFor('SPLITTER_URL')} />
        </p>
      </Card>
    </aside>
  )
}
