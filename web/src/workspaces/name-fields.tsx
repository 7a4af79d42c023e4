import { maxShortNameLength, maxSlugLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { TextField } from '../ui/text-field.tsx'
import { slugOf, slugPattern } from './slug.ts'

/** A workspace's name, and the address made from it until someone writes their own. */
export function NameFields() {
  const [name, setName] = useState('')
  const [own, setOwn] = useState<string | null>(null)
  const slug = own ?? slugOf(name)
  return (
    <>
      <TextField
        label="Workspace"
        hint="Usually the name of your company or department."
        name="workspace"
        required
        maxLength={maxShortNameLength}
        autoComplete="organization"
        value={name}
        onChange={setName}
      />
      <TextField
        label="Address"
        hint={
          <>
            Lowercase words joined by hyphens. You can’t change it later:{' '}
            <span className="break-all">
              {location.host}/{slug || '…'}
            </span>
          </>
        }
        name="slug"
        required
        maxLength={maxSlugLength}
        pattern={slugPattern}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        value={slug}
        onChange={(typed) => setOwn(typed.toLowerCase())}
      />
    </>
  )
}
