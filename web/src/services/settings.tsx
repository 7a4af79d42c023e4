import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import { asksFor } from '@signalbox/contract/remedy.ts'
import type { OnCallSettings } from '@signalbox/contract/service.ts'
import type { Severity } from '@signalbox/contract/signal.ts'
import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMay } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { ManagedBanner, useLocked } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { ChoiceField } from '../ui/choice.tsx'
import { useDraft } from '../ui/draft.ts'
import { Switch } from '../ui/field.tsx'
import { LeaveGuard } from '../ui/leave-guard.tsx'
import { Card, Section } from '../ui/page.tsx'
import { RefusalText } from '../ui/refusal-text.tsx'
import { Ticks } from '../ui/ticks.tsx'
import { severityWords } from '../words/incidents.tsx'
import { General } from './general.tsx'
import { HoursField } from './hours-field.tsx'
import { PlacesField } from './places-field.tsx'
import { AlertPreview } from './preview.tsx'
import { settingWords } from './setting-words.ts'
import { Unsaved } from './unsaved.tsx'

type Name = keyof OnCallSettings

export const Settings = ({ service }: { service: ServiceRow }) => (
  <>
    <ManagedBanner kind="services" which={{ id: service.id }} />
    <SevenSettings service={service} />
    <AlertPreview service={service.id} />
    <General service={service} />
  </>
)

/** What was changed is shown before it is saved, with what it was. */
function SevenSettings({ service }: { service: ServiceRow }) {
  const [isAdmin, locked] = [useMay('admin'), useLocked('services', { id: service.id })]
  const may = isAdmin && !locked
  const members = useRead('members.list', {})
  const places = useRead('services.places', { service: service.id })
  const saved = service.settings
  const { value: settings, changed, changes, set, discard } = useDraft(saved)
  const change = useAction('services.change', {
    alsoStale: ['incidents', 'sources'],
    said: 'Settings saved',
    next: discard,
  })
  const nameOf = (id: string) =>
    members.data?.data.find((member) => member.id === id)?.name ??
    places.data?.data.find((place) => place.id === id)?.name ??
    'Former member'
  return (
    <Section
      title="On-call settings"
      hint="Production changes outside the code always need a person. No setting changes that."
    >
      <LeaveGuard onTab when={changed.length > 0 && !change.isPending} what={service.name} />
      {!isAdmin && (
        <p className="mb-3 flex items-center gap-2 text-sm text-muted">
          <Lock size={14} aria-hidden="true" className="shrink-0" /> Only owners and admins can change on-call
          settings.
        </p>
      )}
      <Card className="divide-y">
        {(['observeOnly', 'startFixes', 'updateAlerts'] as const).map((name) => (
          <div key={name} className="p-4">
            {/* Why it cannot be changed stands above, once for all of them. */}
            <Switch
              label={settingWords[name].name}
              hint={hintOf(name)}
              checked={settings[name]}
              forbidden={!may && hintOf(name)}
              onChange={(next) => set({ [name]: next })}
            />
          </div>
        ))}
        <div className="p-4">
          <ChoiceField
            label={settingWords.lowestSeverity.name}
            hint={hintOf('lowestSeverity')}
            className="max-w-48"
            disabled={!may}
            value={settings.lowestSeverity}
            onChange={(severity) => set({ lowestSeverity: severity as Severity })}
            of={severityWords}
          />
        </div>
        <Setting name="hours">
          <HoursField value={settings.hours} disabled={!may} onChange={(hours) => set({ hours })} />
        </Setting>
        <Setting name="notify">
          <fieldset className="flex flex-wrap gap-x-5 gap-y-1">
            <legend className="sr-only">{settingWords.notify.name}</legend>
            <Ticks
              all={members.data?.data ?? []}
              chosen={settings.notify}
              onChange={(notify) => set({ notify })}
              disabled={!may}
            />
          </fieldset>
          {places.data?.mail === false && (
            <p className="mt-2 text-xs text-muted">
              <RefusalText
                text={`Email isn’t set up, so they’re only notified in the app. ${asksFor('SMTP_URL')}`}
              />
            </p>
          )}
        </Setting>
        <Setting name="places">
          {places.data && (
            <PlacesField
              value={settings.places}
              places={places.data.data}
              chat={places.data.chat}
              disabled={!may}
              onChange={(next) => set({ places: next })}
            />
          )}
        </Setting>
      </Card>
      {changed.length > 0 && (
        <Unsaved
          changed={changed}
          saved={saved}
          settings={settings}
          nameOf={nameOf}
          saving={change}
          onSave={() => change.send({ service: service.id, settings: changes })}
          onDiscard={discard}
        />
      )}
    </Section>
  )
}

const hintOf = (name: Name) => `${settingWords[name].does} Default: ${settingWords[name].default}.`

function Setting({ name, children }: { name: Name; children: ReactNode }) {
  return (
    <div className="p-4">
      <h3 className="text-sm font-medium">{settingWords[name].name}</h3>
      <p className="mb-2 text-xs text-muted">{hintOf(name)}</p>
      {children}
    </div>
  )
}
