import { maxKeyPrefixLength, maxSlugLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { useForbidden } from '../api/me.ts'
import { PresetCards } from '../policies/preset-cards.tsx'
import type { Preset } from '../policies/words.ts'
import { useAction } from '../ui/action.ts'
import { Back } from '../ui/back.tsx'
import { Form, FormEnd } from '../ui/form.tsx'
import { useGo } from '../ui/link.ts'
import { Page, Section } from '../ui/page.tsx'
import { NameField, TextField } from '../ui/text-field.tsx'
import { DescriptionField } from './fields.tsx'
import { prefixFor, slugFor } from './suggest.ts'

export function NewTeam() {
  const [go, forbidden] = [useGo(), useForbidden('create teams')]
  const [name, setName] = useState('')
  // What was typed stays; what was not follows the name.
  const [slug, setSlug] = useState<string | null>(null)
  const [prefix, setPrefix] = useState<string | null>(null)
  const [description, setDescription] = useState('')
  const [preset, setPreset] = useState<Preset>('supervised')
  const input = {
    name: name.trim(),
    slug: slug ?? slugFor(name),
    keyPrefix: prefix ?? prefixFor(name),
    description: description.trim() || null,
    preset,
  }
  const create = useAction('teams.create', {
    // The checklist leads on from here.
    alsoStale: ['workspaces'],
    said: `${input.name} created`,
    next: (team) => go({ to: '/$ws/teams/$team/board', params: { team: team.slug } }),
  })
  return (
    <Page title="New team" above={<Back to="/$ws/teams" />}>
      <Form onSend={() => !forbidden && create.send(input)} className="max-w-3xl">
        <div className="mb-8 grid gap-4 sm:grid-cols-2">
          <div className="sm:col-span-2">
            <NameField value={name} onChange={setName} disabled={forbidden !== false} />
          </div>
          <TextField
            label="Slug"
            hint="Lowercase words joined by hyphens. Used in URLs. You can’t change it later."
            required
            disabled={forbidden !== false}
            maxLength={maxSlugLength}
            pattern="[a-z0-9]+(-[a-z0-9]+)*"
            title="Use lowercase letters, digits and hyphens"
            value={input.slug}
            onChange={setSlug}
            className="font-mono"
          />
          <TextField
            label="Key prefix"
            hint={`Story keys start with it, such as ${input.keyPrefix || 'WEB'}-1. You can’t change it later.`}
            required
            disabled={forbidden !== false}
            maxLength={maxKeyPrefixLength}
            pattern="[A-Z][A-Z0-9]{0,9}"
            title="A letter, then up to nine letters or digits"
            value={input.keyPrefix}
            onChange={(typed) => setPrefix(typed.toUpperCase())}
            className="font-mono"
          />
          <div className="sm:col-span-2">
            <DescriptionField value={description} onChange={setDescription} disabled={forbidden !== false} />
          </div>
        </div>
        <Section
          title="First policy"
          hint="How much people are involved. You can change every setting later."
        >
          <PresetCards chosen={preset} onChoose={setPreset} disabled={forbidden !== false} />
        </Section>
        <div className="flex flex-col gap-3">
          <FormEnd of={create} forbidden={forbidden}>
            Create team
          </FormEnd>
        </div>
      </Form>
    </Page>
  )
}
