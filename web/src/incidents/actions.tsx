import type { IncidentListed } from '@signalbox/contract/incident.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import type { Severity } from '@signalbox/contract/signal.ts'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { useMe } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogEnd } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { Menu, MenuChoices } from '../ui/menu.tsx'
import { LongTextField } from '../ui/text-field.tsx'
import { complain, say } from '../ui/toast.tsx'
import { severityWords } from '../words/incidents.tsx'

type Incident = Pick<IncidentListed, 'key' | 'title' | 'status' | 'severity' | 'assignee' | 'acknowledged'>
type Size = 'normal' | 'small'

const alsoStale = ['services', 'decisions']

/** What a person can do about an open incident. Whoever was quicker is named by the server. */
export function IncidentActions({ incident, size = 'normal' }: { incident: Incident; size?: Size }) {
  const [resolving, setResolving] = useState(false)
  if (incident.status === 'resolved') return null
  return (
    <>
      {!incident.acknowledged && <Acknowledge incident={incident} size={size} />}
      <Take incident={incident} size={size} />
      {size === 'normal' && <ChangeSeverity incident={incident} />}
      <Button size={size} aria-label={`Resolve ${incident.key}`} onClick={() => setResolving(true)}>
        Resolve
      </Button>
      <ResolveDialog incident={incident} open={resolving} onClose={() => setResolving(false)} />
    </>
  )
}

function Acknowledge({ incident: { key }, size }: { incident: Incident; size: Size }) {
  const acknowledge = useWrite('incidents.acknowledge', { alsoStale })
  return (
    <Button
      size={size}
      look={size === 'normal' ? 'primary' : 'plain'}
      aria-label={`Acknowledge ${key}`}
      busy={acknowledge.isPending}
      onClick={() =>
        acknowledge.mutate(
          { incident: key },
          { onSuccess: () => say(`You acknowledged ${key}`), onError: complain },
        )
      }
    >
      Acknowledge
    </Button>
  )
}

function Take({ incident: { key, assignee }, size }: { incident: Incident; size: Size }) {
  const me = useMe()
  const take = useWrite('incidents.take', { alsoStale })
  if (!me || assignee?.id === me.id) return null
  return (
    <Button
      size={size}
      aria-label={assignee ? `Take over ${key} from ${assignee.name}` : `Take ${key}`}
      busy={take.isPending}
      onClick={() =>
        take.mutate(
          { incident: key, from: assignee?.id ?? null },
          { onSuccess: () => say(`You took ${key}`), onError: complain },
        )
      }
    >
      {assignee ? 'Take over' : 'Take'}
    </Button>
  )
}

const severities = (Object.keys(severityWords) as Severity[]).map((value) => ({
  value,
  name: severityWords[value],
}))

function ChangeSeverity({ incident: { key, severity } }: { incident: Incident }) {
  const change = useWrite('incidents.changeSeverity', { alsoStale })
  return (
    <Menu
      trigger={
        <Button busy={change.isPending}>
          Severity <ChevronDown size={14} aria-hidden="true" />
        </Button>
      }
    >
      <MenuChoices
        label="Change the severity to"
        value={severity}
        choices={severities}
        onChoose={(chosen) => {
          if (chosen === severity) return
          change.mutate(
            { incident: key, from: severity, severity: chosen },
            {
              onSuccess: () => say(`The severity of ${key} is ${severityWords[chosen]} now`),
              onError: complain,
            },
          )
        }}
      />
    </Menu>
  )
}

function ResolveDialog({
  incident: { key, title },
  open,
  onClose,
}: {
  incident: Incident
  open: boolean
  onClose: () => void
}) {
  const [reason, setReason] = useState('')
  const resolve = useWrite('incidents.resolve', { alsoStale })
  const send = () =>
    resolve.mutate(
      { incident: key, reason },
      {
        onSuccess: () => {
          setReason('')
          say(`You resolved ${key}`)
        },
        onError: complain,
        // Whoever was quicker has resolved it: there is nothing left to fill in.
        onSettled: onClose,
      },
    )
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Resolve ${key}?`}
      description={
        <>
          <p className="font-medium text-text">{title}</p>
          <p className="mt-1">
            Alerts that are still firing won’t open another incident until they have recovered. Any other
            alert opens a new one.
          </p>
        </>
      }
    >
      <Form onSend={() => reason.trim() && !resolve.isPending && send()}>
        <LongTextField
          label="Reason"
          hint="Everyone who hears of this incident reads it."
          rows={3}
          maxLength={maxNoteLength}
          value={reason}
          onChange={setReason}
          placeholder="What fixed it, or why it needs no fix"
        />
        <DialogEnd
          action={`Resolve ${key}`}
          busy={resolve.isPending}
          forbidden={reason.trim() === '' && 'Say why it is resolved'}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  )
}
