import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useMay } from '../api/me.ts'
import { useWorkspace, useWrite } from '../api/queries.ts'
import { PresetCards } from '../policies/preset-cards.tsx'
import type { Preset } from '../policies/words.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input, Textarea } from '../ui/field.tsx'
import { Link, Page, Section } from '../ui/page.tsx'
import { complain, say } from '../ui/toast.tsx'
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
  const wanted = {
    name: name.trim(),
    slug: slug ?? slugFor(name),
    keyPrefix: prefix ?? prefixFor(name),
    description: description.trim() || null,
    preset,
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!may) return
    create.mutate(wanted, {
      onSuccess: (team) => {
        say(`${wanted.name} was created`)
        void navigate({ to: '/$ws/teams/$team/board', params: { ws, team: team.slug } })
      },
      onError: complain,
    })
  }
  return (
    <Page
      title="New team"
      above={
        <Link to="/$ws/teams" params={{ ws }} className="hover:text-text hover:underline">
          Teams
        </Link>
      }
    >
      <form onSubmit={submit} className="max-w-3xl">
        <div className="mb-8 grid gap-4 sm:grid-cols-2">
          <div className="sm:col-span-2">
            <Field label="Name">
              {(ids) => (
                <Input
                  {...ids}
                  required
                  maxLength={100}
                  value={name}
                  onChange={({ target }) => setName(target.value)}
                />
              )}
            </Field>
          </div>
          <Field
            label="Slug"
            hint="Lowercase words joined by hyphens. Stands in addresses; it cannot be changed."
          >
            {(ids) => (
              <Input
                {...ids}
                required
                maxLength={64}
                pattern="[a-z0-9]+(-[a-z0-9]+)*"
                value={wanted.slug}
                onChange={({ target }) => setSlug(target.value)}
                className="font-mono"
              />
            )}
          </Field>
          <Field
            label="Key prefix"
            hint={`Story keys begin with it: ${wanted.keyPrefix || 'WEB'}-1. It cannot be changed.`}
          >
            {(ids) => (
              <Input
                {...ids}
                required
                maxLength={10}
                pattern="[A-Z][A-Z0-9]{0,9}"
                value={wanted.keyPrefix}
                onChange={({ target }) => setPrefix(target.value.toUpperCase())}
                className="font-mono"
              />
            )}
          </Field>
          <div className="sm:col-span-2">
            <Field label="Description" hint="Optional: what the team works on.">
              {(ids) => (
                <Textarea
                  {...ids}
                  rows={2}
                  maxLength={1000}
                  value={description}
                  onChange={({ target }) => setDescription(target.value)}
                />
              )}
            </Field>
          </div>
        </div>
        <Section title="First policy" hint="How closely people watch. Every setting can be changed later.">
          <PresetCards chosen={preset} onChoose={setPreset} />
        </Section>
        <Button
          type="submit"
          look="primary"
          busy={create.isPending}
          forbidden={!may && 'New teams: owners and admins'}
        >
          Create the team
        </Button>
      </form>
    </Page>
  )
}
