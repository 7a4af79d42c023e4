import type { IncidentListed } from '@signalbox/contract/incident.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import type { Severity } from '@signalbox/contract/signal.ts'
import { isTestIncident } from '@signalbox/contract/test-alert.ts'
import { ChevronDown } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useMe } from '../api/me.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { Dialog, DialogEnd, OpenButton } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { Menu, MenuChoices } from '../ui/menu.tsx'
import { LongTextField } from '../ui/text-field.tsx'
import { severityWords } from '../words/incidents.tsx'

type Incident = Pick<IncidentListed, 'key' | 'title' | 'status' | 'severity' | 'assignee' | 'acknowledged'>
type Size = 'normal' | 'small'

const alsoStale = ['services', 'decisions']

/**
 * What a person can do about an open incident, one of it first: acknowledge, then resolve. In a list there is only
 * that, and room to take it on a wide screen. If someone was quicker, the server says who.
 */
export function IncidentActions({ incident, size = 'normal' }: { incident: Incident; size?: Size }) {
  const all = useRef<HTMLSpanElement>(null)
  // A button that has done its work goes, and the focus would go with it: before or after its answer is told here.
  const isDone = useRef(false)
  const settle = () => {
    if (!isDone.current || document.activeElement !== document.body) return
    isDone.current = false
    all.current?.querySelector('button')?.focus()
  }
  useEffect(settle)
  if (incident.status === 'resolved') return null
  const keepFocus = () => {
    isDone.current = true
    settle()
  }
  const isNext = incident.acknowledged !== null
  const look = isNext ? 'primary' : 'plain'
  return (
    <span ref={all} className="contents">
      {!isNext && <Acknowledge incident={incident} size={size} onDone={keepFocus} />}
      <span className={size === 'small' ? 'max-md:hidden' : 'contents'}>
        <Take incident={incident} size={size} onDone={keepFocus} />
      </span>
      {size === 'normal' && <ChangeSeverity incident={incident} />}
      {(size === 'normal' || isNext) &&
        (isTestIncident(incident) ? (
          <ResolveTest incident={incident} size={size} look={look} />
        ) : (
          <OpenButton label="Resolve" size={size} look={look} aria-label={`Resolve ${incident.key}`}>
            {(close) => <ResolveDialog incident={incident} onClose={close} />}
          </OpenButton>
        ))}
    </span>
  )
}

interface OneAction {
  incident: Incident
  size: Size
  onDone: () => void
}

function Acknowledge({ incident: { key }, size, onDone }: OneAction) {
  const acknowledge = useAction('incidents.acknowledge', {
    alsoStale,
    said: `You acknowledged ${key}`,
    next: onDone,
  })
  return (
    <Button
      size={size}
      look="primary"
      aria-label={`Acknowledge ${key}`}
      {...acknowledge.button({ incident: key })}
    >
      Acknowledge
    </Button>
  )
}

function Take({ incident: { key, assignee }, size, onDone }: OneAction) {
  const me = useMe()
  const take = useAction('incidents.take', { alsoStale, said: `You took ${key}`, next: onDone })
  if (me && assignee?.id === me.id) return null
  return (
    <Button
      size={size}
      // Its place is there before it is known who asks, so that nothing moves then.
      className={me ? '' : 'invisible'}
      aria-label={assignee ? `Take over ${key} from ${assignee.name}` : `Take ${key}`}
      {...take.button({ incident: key, from: assignee?.id ?? null })}
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
  const change = useAction('incidents.changeSeverity', {
    alsoStale,
    said: (_, given) => `The severity of ${key} is ${severityWords[given.severity]} now`,
  })
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
        onChoose={(chosen) =>
          chosen !== severity && change.press({ incident: key, from: severity, severity: chosen })
        }
      />
    </Menu>
  )
}

/** Nothing has happened, so there is nothing to say about it. */
function ResolveTest({
  incident: { key },
  size,
  look,
}: Omit<OneAction, 'onDone'> & { look: 'primary' | 'plain' }) {
  const resolve = useAction('incidents.resolve', { alsoStale, said: `You resolved ${key}` })
  return (
    <Button
      size={size}
      look={look}
      aria-label={`Resolve ${key}`}
      {...resolve.button({ incident: key, reason: 'It was a test.' })}
    >
      Resolve test
    </Button>
  )
}

function ResolveDialog({ incident: { key, title }, onClose }: { incident: Incident; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const resolve = useAction('incidents.resolve', { alsoStale, said: `You resolved ${key}` })
  return (
    <Dialog
      onClose={onClose}
      title={`Resolve ${key}?`}
      description={
        <>
          <p dir="auto" className="font-medium text-text">
            <Coded text={title} />
          </p>
          <p className="mt-1">
            Alerts that are still firing won’t open another incident until they have recovered. Any other
            alert opens a new one.
          </p>
        </>
      }
    >
      {/* Someone else has resolved it: then there is nothing left to fill in. */}
      <Form onSend={() => reason.trim() && resolve.press({ incident: key, reason }, onClose)}>
        <LongTextField
          label="Reason"
          hint="Everyone notified will see it."
          rows={3}
          maxLength={maxNoteLength}
          value={reason}
          onChange={setReason}
          placeholder="What fixed it, or why it needs no fix"
        />
        <DialogEnd
          action={`Resolve ${key}`}
          busy={resolve.isPending}
          forbidden={reason.trim() === '' && 'Enter a reason'}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  )
}
