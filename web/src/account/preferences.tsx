import { turnShortcuts, useShortcutsAreOn } from '../browser/shortcuts.ts'
import { chooseTheme, type Theme, useTheme } from '../browser/theme.ts'
import { ChoiceField } from '../ui/choice.tsx'
import { Switch } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'

/** Saved in this browser. */
export function Preferences() {
  const [theme, on] = [useTheme(), useShortcutsAreOn()]
  return (
    <Section title="Preferences" hint="Saved in this browser.">
      <div className="flex max-w-md flex-col gap-5">
        <ChoiceField
          label="Theme"
          value={theme}
          onChange={(chosen) => chooseTheme(chosen as Theme)}
          of={{ system: 'System', light: 'Light', dark: 'Dark' }}
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
