import { useNavigate } from '@tanstack/react-router'
import { BookOpen, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMe, useRole } from '../api/me.ts'
import { openManual } from '../browser/manual.ts'
import { chooseTheme, type Theme, useTheme } from '../browser/theme.ts'
import { roleNames } from '../members/words.ts'
import { signOut } from '../sign-in/sign-out.ts'
import { Menu, MenuChoices, MenuItem, MenuLine } from '../ui/menu.tsx'

const themes: { value: Theme; name: string; icon: ReactNode }[] = [
  { value: 'system', name: 'System', icon: <Monitor size={14} /> },
  { value: 'light', name: 'Light', icon: <Sun size={14} /> },
  { value: 'dark', name: 'Dark', icon: <Moon size={14} /> },
]

/** Who is signed in, their theme, and the way out. */
export default function AccountMenu() {
  const [me, role, theme, navigate] = [useMe(), useRole(), useTheme(), useNavigate()]
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex h-10 w-full items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-hover"
        >
          <span
            aria-hidden="true"
            className="flex size-6 shrink-0 items-center justify-center rounded-full bg-hover text-xs font-semibold uppercase"
          >
            {me?.name.slice(0, 1) ?? ''}
          </span>
          <span className="min-w-0 flex-1">
            <span className="block truncate leading-4 font-medium">{me?.name ?? '…'}</span>
            <span className="block truncate text-xs leading-4 text-muted">{role && roleNames[role]}</span>
          </span>
        </button>
      }
    >
      <MenuItem icon={<UserRound size={14} />} onSelect={() => void navigate({ to: '/account' })}>
        Account
      </MenuItem>
      <MenuItem icon={<BookOpen size={14} />} onSelect={openManual}>
        Manual
      </MenuItem>
      <MenuLine />
      <MenuChoices label="Theme" value={theme} choices={themes} onChoose={chooseTheme} />
      <MenuLine />
      <MenuItem icon={<LogOut size={14} />} onSelect={() => void signOut()}>
        Sign out
      </MenuItem>
    </Menu>
  )
}
