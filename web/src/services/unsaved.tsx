import type { OnCallSettings } from '@signalbox/contract/service.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { missingIn, settingValue, settingWords } from './setting-words.ts'

/** In the order in which they stand above. */
const names = Object.keys(settingWords) as (keyof OnCallSettings)[]

/** What was changed and not saved yet, with what it was. It stays in sight. */
export function Unsaved({
  changed,
  saved,
  settings,
  nameOf,
  saving: { isPending, error },
  onSave,
  onDiscard,
}: {
  changed: (keyof OnCallSettings)[]
  saved: OnCallSettings
  settings: OnCallSettings
  nameOf: (id: string) => string
  saving: { isPending: boolean; error: Error | null }
  onSave: () => void
  onDiscard: () => void
}) {
  return (
    <Card className="sticky bottom-16 z-10 mt-4 flex flex-col gap-3 p-4 shadow-pop md:bottom-4">
      <div role="status">
        <h3 className="text-sm font-medium">
          {changed.length} {changed.length === 1 ? 'change' : 'changes'} not saved
        </h3>
        <ul className="mt-1 flex flex-col gap-0.5 text-sm">
          {names
            .filter((name) => changed.includes(name))
            .map((name) => (
              <li key={name} className="wrap-anywhere">
                {settingWords[name].name}:{' '}
                <span className="text-muted">{settingValue(name, saved[name], nameOf)}</span> →{' '}
                {settingValue(name, settings[name], nameOf)}
              </li>
            ))}
        </ul>
      </div>
      <Refused error={error} />
      <div className="flex flex-wrap gap-2">
        <Button look="primary" busy={isPending} forbidden={missingIn(settings.hours)} onClick={onSave}>
          Save changes
        </Button>
        <Button onClick={onDiscard}>Discard</Button>
      </div>
    </Card>
  )
}
