import { maxShortNameLength, maxSlugLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { Field, Input } from '../ui/field.tsx'
import { slugOf, slugPattern } from './slug.ts'

/** A workspace's name, and the address made from it until somebody writes their own. */
export function NameFields() {
  const [name, setName] = useState('')
  const [own, setOwn] = useState<string | null>(null)
  const slug = own ?? slugOf(name)
  return (
    <>
      <Field label="Workspace" hint="Usually the name of your company or department.">
        {(ids) => (
          <Input
            {...ids}
            name="workspace"
            required
            maxLength={maxShortNameLength}
            autoComplete="organization"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="Address"
        hint={
          <>
            Lowercase words joined by hyphens. It stays:{' '}
            <span className="break-all">
              {location.host}/{slug || '…'}
            </span>
          </>
        }
      >
        {(ids) => (
          <Input
            {...ids}
            name="slug"
            required
            maxLength={maxSlugLength}
            pattern={slugPattern}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            value={slug}
            onChange={(event) => setOwn(event.target.value.toLowerCase())}
          />
        )}
      </Field>
    </>
  )
}
