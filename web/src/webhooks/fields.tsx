import { maxNameLength, maxWebhookUrlLength } from '@signalbox/contract/limits.ts'
import { type WebhookEvent, webhookEvents } from '@signalbox/contract/webhook-events.ts'
import { useRead } from '../api/queries.ts'
import { TextField } from '../ui/text-field.tsx'
import { Tick, Ticks } from '../ui/ticks.tsx'

export interface Settings {
  url: string
  description: string
  events: string[]
  teams: string[] | null
}

const types = Object.keys(webhookEvents) as WebhookEvent[]
export const everyEvent: string[] = types
const groups = Map.groupBy(types, (type) => type.split('.')[0]!)
const groupNames: Record<string, string> = {
  decision: 'Decisions',
  run: 'Runs',
  story: 'Stories',
  incident: 'Incidents',
  team: 'Teams',
  policy: 'Policies',
  requirement: 'Requirements',
}

/** Where events go, and which. */
export function EndpointFields({ value, onChange }: { value: Settings; onChange: (next: Settings) => void }) {
  const set = (some: Partial<Settings>) => onChange({ ...value, ...some })
  return (
    <>
      <TextField
        label="URL"
        hint="Signalbox sends a POST request here for every event."
        type="url"
        required
        maxLength={maxWebhookUrlLength}
        placeholder="https://example.com/webhooks"
        autoComplete="off"
        value={value.url}
        onChange={(url) => set({ url })}
      />
      <TextField
        label="Description"
        hint="Optional. What the endpoint is for, such as Billing."
        maxLength={maxNameLength}
        autoComplete="off"
        value={value.description}
        onChange={(description) => set({ description })}
      />
      <EventsField value={value.events} onChange={(events) => set({ events })} />
      <TeamsField value={value.teams} onChange={(teams) => set({ teams })} />
    </>
  )
}

function EventsField({ value, onChange }: { value: string[]; onChange: (next: string[]) => void }) {
  const isAll = value.length === types.length
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Events</legend>
      <div className="flex flex-col gap-3 rounded-md border bg-surface p-3">
        <Tick
          type="checkbox"
          checked={isAll}
          onChange={({ target }) => onChange(target.checked ? [...types] : [])}
        >
          All events
        </Tick>
        <div className="grid gap-x-6 gap-y-3 border-t pt-3 sm:grid-cols-2">
          {[...groups].map(([group, its]) => (
            <fieldset key={group} className="min-w-0">
              <legend className="text-xs font-medium text-muted">{groupNames[group]}</legend>
              <Ticks all={its.map((id) => ({ id, name: id }))} chosen={value} onChange={onChange} />
            </fieldset>
          ))}
        </div>
      </div>
      <div role="status" className="mt-1 text-xs text-danger empty:hidden">
        {value.length === 0 && 'Choose at least one event type.'}
      </div>
    </fieldset>
  )
}

interface TeamsFieldProps {
  value: string[] | null
  onChange: (next: string[] | null) => void
}

function TeamsField({ value, onChange }: TeamsFieldProps) {
  const teams = useRead('teams.list', {})
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Teams</legend>
      <div className="flex max-h-56 flex-col gap-0.5 overflow-y-auto rounded-md border bg-surface p-3">
        <Tick type="radio" name="teams" checked={value === null} onChange={() => onChange(null)}>
          All teams, including future ones
        </Tick>
        <Tick type="radio" name="teams" checked={value !== null} onChange={() => onChange([])}>
          Only some teams
        </Tick>
        {value !== null && (
          <div className="ml-6">
            <Ticks all={teams.data ?? []} chosen={value} onChange={onChange} />
          </div>
        )}
      </div>
      <div role="status" className="mt-1 text-xs text-danger empty:hidden">
        {value?.length === 0 && 'Choose at least one team.'}
      </div>
    </fieldset>
  )
}

export const isComplete = ({ events, teams }: Settings): boolean => events.length > 0 && teams?.length !== 0
