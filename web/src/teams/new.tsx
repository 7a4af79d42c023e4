import { maxKeyPrefixLength, maxSlugLength } from '@signalbox/contract/limits.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useWorkspace, useWrite } from '../api/queries.ts'
import { PresetCards } from '../policies/preset-cards.tsx'
import type { Preset } from '../policies/words.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { say } from '../ui/toast.tsx'
import { AllTeams } from './all-teams.tsx'
import { DescriptionField, NameField } from './fields.tsx'
import { prefixFor, slugFor } from './suggest.ts'

export function NewTeam() {
  const [ws, navigate, may] = [useWorkspace(), useNavigate(), useMay('admin')]
  const create = useWrite('teams.create')
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
  const submit = () => {
    if (!may || create.isPending) return
    create.mutate(input, {
      onSuccess: (team) => {
        say(`${input.name} created`)
        void navigate({ to: '/$ws/teams/$team/board', params: { ws, team: team.slug } })
      },
    })
  }
  return (
    <Page title="New team" above={<AllTeams />}>
      <Form onSend={submit} className="max-w-3xl">
        <div className="mb-8 grid gap-4 sm:grid-cols-2">
          <div className="sm:col-span-2">
            <NameField value={name} onChange={setName} disabled={!may} />
          </div>
          <TextField
            label="Slug"
            hint="Lowercase words joined by hyphens. Used in URLs. You can’t change it later."
            required
            disabled={!may}
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
            disabled={!may}
            maxLength={maxKeyPrefixLength}
            pattern="[A-Z][A-Z0-9]{0,9}"
            title="A letter, then up to nine letters or digits"
            value={input.keyPrefix}
            onChange={(typed) => setPrefix(typed.toUpperCase())}
            className="font-mono"
          />
          <div className="sm:col-span-2">
            <DescriptionField value={description} onChange={setDescription} disabled={!may} />
          </div>
        </div>
        <Section
          title="First policy"
          hint="How much people are involved. You can change every setting later."
        >
          <PresetCards chosen={preset} onChoose={setPreset} disabled={!may} />
        </Section>
        <div className="flex flex-col items-start gap-3">
          <Refused error={create.error} />
          <Button
            type="submit"
            look="primary"
            busy={create.isPending}
            forbidden={!may && 'Only owners and admins can create teams'}
          >
            Create team
          </Button>
        </div>
      </Form>
    </Page>
  )
}
