import { maxRepositories } from '@signalbox/contract/limits.ts'
import type { Repository } from '@signalbox/contract/service.ts'
import { Plus, X } from 'lucide-react'
import { useId } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { Input } from '../ui/field.tsx'

interface Props {
  value: Repository[]
  onChange: (next: Repository[]) => void
  disabled?: boolean
}

/** What a service is built from: addresses git can clone, with the folder of the service in it. */
export function Repositories({ value, onChange, disabled }: Props) {
  const id = useId()
  const set = (index: number, part: Partial<Repository>) =>
    onChange(value.map((one, at) => (at === index ? { ...one, ...part } : one)))
  return (
    <fieldset className="flex flex-col gap-2" aria-describedby={id}>
      <legend className="mb-1 text-sm font-medium">Repositories</legend>
      {value.map((repository, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity, and are only added at the end
        <div key={index} className="flex flex-wrap items-center gap-2">
          <Input
            aria-label={`Repository ${index + 1} URL`}
            className="min-w-0 flex-[2_1_12rem] max-sm:basis-full"
            placeholder="https://git.example.com/shop.git"
            value={repository.url}
            disabled={disabled}
            onChange={({ target }) => set(index, { url: target.value })}
          />
          <Input
            aria-label={`Folder in repository ${index + 1}`}
            className="min-w-0 flex-[1_1_7rem]"
            placeholder="Folder (optional)"
            value={repository.path}
            disabled={disabled}
            onChange={({ target }) => set(index, { path: target.value })}
          />
          {!disabled && (
            <IconButton
              label={`Remove repository ${index + 1}`}
              onClick={() => onChange(value.filter((_, at) => at !== index))}
            >
              <X size={14} />
            </IconButton>
          )}
        </div>
      ))}
      {!disabled && value.length < maxRepositories && (
        <div>
          <Button
            size="small"
            icon={<Plus size={13} />}
            onClick={() => onChange([...value, { url: '', path: '' }])}
          >
            Add repository
          </Button>
        </div>
      )}
      <p id={id} className="text-xs text-muted">
        {value.length === 0 && disabled ? 'No repositories. ' : ''}
        Investigations look at what was merged in the 48 hours before an alert.
      </p>
    </fieldset>
  )
}
