import type { NotificationSettings } from '@signalbox/contract/app/account.ts'
import { usePersonalAction } from '../ui/action.ts'
import { ChoiceField } from '../ui/choice.tsx'
import { Switch } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { zones } from './zones.ts'

const hours = Array.from({ length: 24 }, (_, hour): [string, string] => [
  String(hour),
  `${String(hour).padStart(2, '0')}:00`,
])

/** When the night shift report is sent. Whether it is, and how, is chosen with the other notifications. */
export function NightReportTime({ settings: { report, chat } }: { settings: NotificationSettings }) {
  const set = usePersonalAction('account.setReport', { said: 'Changes saved' })
  return (
    <Section
      title="Night shift report"
      hint="One report a morning in each workspace: what was done, what’s waiting for you, what was spent and what nearly went wrong."
    >
      <div className="flex max-w-md flex-col gap-5">
        <ChoiceField
          label="Time"
          value={String(report.hour)}
          onChange={(hour) => set.press({ ...report, hour: Number(hour) })}
          of={hours}
        />
        <ChoiceField
          label="Time zone"
          hint={`This browser uses ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`}
          value={report.timeZone}
          onChange={(timeZone) => set.press({ ...report, timeZone })}
          of={zones}
        />
        <Switch
          label="Also send it in Slack"
          hint="As a direct message."
          checked={report.byChat}
          onChange={(byChat) => set.press({ ...report, byChat })}
          forbidden={!chat && 'Link your Slack account first: type /signalbox link in Slack'}
        />
      </div>
    </Section>
  )
}
