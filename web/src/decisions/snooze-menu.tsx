import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { maxSnoozeDays } from '@signalbox/contract/limits.ts'
import { AlarmClock, AlarmClockOff } from 'lucide-react'
import { useState } from 'react'
import { serverNow } from '../api/clock.ts'
import { useWrite } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu.tsx'
import { complain, say } from '../ui/toast.tsx'
import { snoozeTimes, toLocalDatetime, whyNotUntil } from './snooze-times.ts'

interface Props {
  decision: DecisionRow
  onSnoozed?: (key: string) => void
}

const meaning = 'Hides it from your inbox only. The deadline stays the same, and others can still answer.'

/** Until when a decision is to be out of one's inbox; or, once it is, the way back. */
export default function SnoozeMenu({ decision, onSnoozed }: Props) {
  const { key, expiresAt, snoozedUntil } = decision
  const [isChoosing, setChoosing] = useState(false)
  const [snooze, unsnooze] = [useWrite('decisions.snooze'), useWrite('decisions.unsnooze')]
  const back = async () => {
    try {
      await unsnooze.mutateAsync({ key })
      say(`${key} is back in your inbox`)
    } catch (error) {
      complain(error)
    }
  }
  const until = async (at: Date) => {
    await snooze.mutateAsync({ key, until: at.toISOString() })
    say(`${key} snoozed until ${dateOf(at)}`, () => void back())
    onSnoozed?.(key)
  }
  const busy = snooze.isPending || unsnooze.isPending
  const now = new Date(serverNow())
  return (
    <>
      <Menu
        align="start"
        trigger={
          snoozedUntil ? (
            <Button size="small" busy={busy} icon={<AlarmClock size={14} />}>
              Snoozed until {dateOf(snoozedUntil)}
            </Button>
          ) : (
            <IconButton label="Snooze" busy={busy}>
              <AlarmClock size={14} />
            </IconButton>
          )
        }
      >
        {snoozedUntil && (
          <>
            <MenuItem icon={<AlarmClockOff size={14} />} onSelect={() => void back()}>
              Return to inbox now
            </MenuItem>
            <MenuLine />
          </>
        )}
        <MenuLabel>Snooze until</MenuLabel>
        {snoozeTimes(now, expiresAt).map(({ name, at, forbidden }) => (
          <MenuItem key={name} forbidden={forbidden} onSelect={() => void until(at).catch(complain)}>
            <span className="flex justify-between gap-4">
              {name}
              <span className="text-xs leading-5 text-muted tabular-nums">{dateOf(at)}</span>
            </span>
          </MenuItem>
        ))}
        <MenuItem onSelect={() => setChoosing(true)}>Choose a time…</MenuItem>
        <MenuLine />
        <p className="max-w-64 px-2 pt-1 pb-1.5 text-xs text-muted">{meaning}</p>
      </Menu>
      {isChoosing && (
        <ChooseTime
          expiresAt={expiresAt}
          of={snooze}
          onClose={() => setChoosing(false)}
          onChosen={(at) =>
            void until(at).then(
              () => setChoosing(false),
              () => {},
            )
          }
        />
      )}
    </>
  )
}

interface ChoosingProps {
  expiresAt: string | null
  of: { isPending: boolean; error: Error | null }
  onClose: () => void
  onChosen: (at: Date) => void
}

function ChooseTime({ expiresAt, of, onClose, onChosen }: ChoosingProps) {
  const now = new Date(serverNow())
  const [text, setText] = useState(toLocalDatetime(new Date(now.getTime() + 7_200_000)))
  const at = new Date(text)
  const last = new Date(now.getTime() + maxSnoozeDays * 86_400_000)
  return (
    <FormDialog
      title="Snooze until"
      description={meaning}
      of={of}
      action="Snooze"
      forbidden={
        whyNotUntil(at, now, expiresAt) ||
        (at > last && `Choose a time within the next ${maxSnoozeDays} days`)
      }
      onClose={onClose}
      onSend={() => onChosen(at)}
    >
      <Field
        label="Date and time"
        hint={expiresAt ? `The decision expires ${dateOf(expiresAt)}.` : undefined}
      >
        {(ids) => (
          <Input
            {...ids}
            type="datetime-local"
            required
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
