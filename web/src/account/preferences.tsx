import { turnShortcuts, useShortcutsAreOn } from '../browser/shortcuts.ts'
import { chooseTheme, type Theme, useTheme } from '../browser/theme.ts'
import { ChoiceField } from '../ui/choice.tsx'
import { Switch } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'

/** Kept in this browser. */
export function Preferences() {
  const [theme, on] = [useTheme(), useShortcutsAreOn()]
  return (
    <Section title="Preferences" hint="Kept in this browser.">
      <div className="flex max-w-md flex-col gap-5">
        <ChoiceField
          label="Theme"
          value={theme}
          onChange={(chosen) => chooseTheme(chosen as Theme)}
          of={{ system: 'As the system', light: 'Light', dark: 'Dark' }}
        />
        <Switch
          label="Single-key shortcuts"
          hint="Turn them off if you dictate, or press keys by accident. Press ? on a screen for its keys."
          checked={on}
          onChange={turnShortcuts}
        />
      </div>
    </Section>
  )
}
