import { chooseFormats, useFormats } from '../browser/format-preference.ts'
import { dateOf, grouped } from '../browser/formats.ts'
import { turnShortcuts, useShortcutsAreOn } from '../browser/shortcuts.ts'
import { chooseTheme, type Theme, useTheme } from '../browser/theme.ts'
import { ChoiceField } from '../ui/choice.tsx'
import { Switch } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { zones } from './zones.ts'

/** Each as it would write a date; the browser's own stands first. */
const locales: [string, string][] = [
  ['en-GB', 'English (United Kingdom)'],
  ['en-US', 'English (United States)'],
  ['de-DE', 'German'],
  ['es-ES', 'Spanish'],
  ['fr-FR', 'French'],
  ['ja-JP', 'Japanese'],
  ['ko-KR', 'Korean'],
  ['pt-BR', 'Portuguese (Brazil)'],
  ['zh-CN', 'Chinese (Simplified)'],
  ['sv-SE', 'ISO 8601 (year-month-day)'],
]
const now = new Date()

/** Saved in this browser. */
export function Preferences() {
  const [theme, on, formats] = [useTheme(), useShortcutsAreOn(), useFormats()]
  return (
    <Section title="Preferences" hint="Saved in this browser.">
      <div className="flex max-w-md flex-col gap-5">
        <ChoiceField
          label="Theme"
          value={theme}
          onChange={(chosen) => chooseTheme(chosen as Theme)}
          of={{ system: 'System', light: 'Light', dark: 'Dark' }}
        />
        <ChoiceField
          label="Date and number format"
          hint={`For example: ${dateOf(now)} and ${grouped(12_400.5)}`}
          value={formats.locale}
          onChange={(locale) => chooseFormats({ locale })}
          none={`Browser (${navigator.language})`}
          of={locales}
        />
        <ChoiceField
          label="Time zone"
          hint="The audit log also shows UTC."
          value={formats.zone}
          onChange={(zone) => chooseFormats({ zone })}
          none={`Browser (${Intl.DateTimeFormat().resolvedOptions().timeZone})`}
          of={zones}
        />
        <Switch
          label="Single-key shortcuts"
          hint="Turn these off if you use dictation or press keys by accident. Press ? on any screen to see its shortcuts."
          checked={on}
          onChange={turnShortcuts}
        />
      </div>
    </Section>
  )
}
