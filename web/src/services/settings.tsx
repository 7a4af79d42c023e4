import type { ServiceOverview } from '@signalbox/contract/app/services.ts'
import type { OnCallSettings } from '@signalbox/contract/service.ts'
import type { Severity } from '@signalbox/contract/signal.ts'
import { Lock } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { severityList, severityWords } from '../incidents/severity.tsx'
import { Button } from '../ui/button.tsx'
import { Field, Select, Switch } from '../ui/field.tsx'
import { Card, Section } from '../ui/page.tsx'
import { complain, say } from '../ui/toast.tsx'
import { HoursField } from './hours-field.tsx'
import { PlacesField } from './places-field.tsx'
import { settingValue, settingWords } from './setting-words.ts'

type Name = keyof OnCallSettings
const names = Object.keys(settingWords) as Name[]
const reason = 'On-call settings: owners and admins'

/** The seven settings. What was changed is shown before it is saved, with what it was. */
export function Settings({ service }: { service: ServiceOverview }) {
  const may = useMay('admin')
  const [draft, setDraft] = useState<Partial<OnCallSettings>>({})
  const change = useWrite('services.change', { alsoStale: ['incidents', 'sources'] })
  const members = useRead('members.list', {})
  const places = useRead('services.places', { service: service.id })
  const saved = service.settings
  const settings = { ...saved, ...draft }
  const set = (part: Partial<OnCallSettings>) => setDraft((before) => ({ ...before, ...part }))
  const changed = names.filter((name) => JSON.stringify(settings[name]) !== JSON.stringify(saved[name]))
  const nameOf = (id: string) =>
    members.data?.data.find((member) => member.id === id)?.name ??
    places.data?.data.find((place) => place.id === id)?.name ??
    'somebody who left'
  const save = () =>
    change.mutate(
      { service: service.id, settings: Object.fromEntries(changed.map((name) => [name, settings[name]])) },
      {
        onSuccess: () => {
          setDraft({})
          say('Settings saved')
        },
        onError: complain,
      },
    )
  const forbidden = !may && reason
  return (
    <Section
      title="On-call settings"
      hint="A change of production outside the code is never made without a person; no setting allows it."
    >
      {!may && (
        <p className="mb-3 flex items-center gap-2 text-[13px] text-muted">
          <Lock size={14} aria-hidden="true" className="shrink-0" /> {reason}. You can read them.
        </p>
      )}
      <Card className="divide-y">
        {(['observeOnly', 'startFixes', 'updateAlerts'] as const).map((name) => (
          <div key={name} className="p-4">
            <Switch
              label={settingWords[name].name}
              hint={<Effect name={name} />}
              checked={settings[name]}
              forbidden={forbidden}
              onChange={(next) => set({ [name]: next })}
            />
            {!may && (
              <p className="text-xs text-muted">
                <Effect name={name} />
              </p>
            )}
          </div>
        ))}
        <div className="p-4">
          <Field label={settingWords.lowestSeverity.name} hint={<Effect name="lowestSeverity" />}>
            {(ids) => (
              <Select
                {...ids}
                className="max-w-48"
                disabled={!may}
                value={settings.lowestSeverity}
                onChange={({ target }) => set({ lowestSeverity: target.value as Severity })}
              >
                {severityList.map((severity) => (
                  <option key={severity} value={severity}>
                    {severityWords[severity]}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </div>
        <Setting name="hours">
          <HoursField value={settings.hours} disabled={!may} onChange={(hours) => set({ hours })} />
        </Setting>
        <Setting name="notify">
          <div className="flex flex-wrap gap-x-5 gap-y-1">
            {members.data?.data.map(({ id, name }) => (
              <label key={id} className="flex min-h-7 items-center gap-2 text-[13px]">
                <input
                  type="checkbox"
                  className="size-4 accent-(--accent-fill)"
                  disabled={!may}
                  checked={settings.notify.includes(id)}
                  onChange={({ target }) =>
                    set({
                      notify: target.checked
                        ? [...settings.notify, id].toSorted()
                        : settings.notify.filter((one) => one !== id),
                    })
                  }
                />
                <span className="break-words">{name}</span>
              </label>
            ))}
          </div>
          {places.data?.mail === false && (
            <p className="mt-2 text-xs text-muted">
              No mail server is connected, so they are told in the app only.
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
        <Card className="sticky bottom-16 z-10 mt-4 flex flex-col gap-3 p-4 shadow-pop md:bottom-4">
          <div role="status">
            <h3 className="text-[13px] font-medium">
              {changed.length} {changed.length === 1 ? 'change' : 'changes'}, not saved yet
            </h3>
            <ul className="mt-1 flex flex-col gap-0.5 text-[13px]">
              {changed.map((name) => (
                <li key={name} className="break-words">
                  {settingWords[name].name}:{' '}
                  <span className="text-muted">{settingValue(name, saved[name], nameOf)}</span> →{' '}
                  {settingValue(name, settings[name], nameOf)}
                </li>
              ))}
            </ul>
          </div>
          <div className="flex flex-wrap gap-2">
            <Button
              look="primary"
              busy={change.isPending}
              forbidden={forbidden || (settings.hours?.days.length === 0 && 'Choose at least one day')}
              onClick={save}
            >
              Save changes
            </Button>
            <Button onClick={() => setDraft({})}>Discard</Button>
          </div>
        </Card>
      )}
    </Section>
  )
}

const Effect = ({ name }: { name: Name }) => (
  <>
    {settingWords[name].effect} Default: {settingWords[name].default}.
  </>
)

function Setting({ name, children }: { name: Name; children: ReactNode }) {
  return (
    <div className="p-4">
      <h3 className="text-[13px] font-medium">{settingWords[name].name}</h3>
      <p className="mb-2 text-xs text-muted">
        <Effect name={name} />
      </p>
      {children}
    </div>
  )
}
