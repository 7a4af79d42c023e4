import { Link, useSearch } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { usePersonal } from '../api/queries.ts'
import { signOut } from '../sign-in/sign-out.ts'
import { Button } from '../ui/button.tsx'
import { Loaded, Page, Tabs, tabClass } from '../ui/page.tsx'
import { Notifications } from './notifications.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordSection } from './password.tsx'
import { Preferences } from './preferences.tsx'
import { Profile } from './profile.tsx'
import { Sessions } from './sessions.tsx'
import { TwoFactor } from './two-factor.tsx'

const tabs = [
  { tab: 'profile', name: 'Profile' },
  { tab: 'security', name: 'Security' },
  { tab: 'sessions', name: 'Sessions' },
  { tab: 'notifications', name: 'Notifications' },
  { tab: 'preferences', name: 'Preferences' },
] as const

/** What belongs to the person and not to a workspace. */
export function Account() {
  const asked = useSearch({ from: '/account' }).tab
  const tab = tabs.find((known) => known.tab === asked)?.tab ?? 'profile'
  return (
    <div className="min-h-dvh bg-surface">
      <main className="mx-auto max-w-3xl">
        <Page
          title="Account"
          above={
            <Link to="/" className="flex min-h-6 items-center gap-1 hover:text-text">
              <ArrowLeft size={14} aria-hidden="true" />
              Back to workspace
            </Link>
          }
          aside={<Button onClick={() => void signOut()}>Sign out</Button>}
        >
          <Tabs label="Account">
            {tabs.map(({ tab: value, name }) => (
              <Link
                key={value}
                to="/account"
                search={value === 'profile' ? {} : { tab: value }}
                className={`${tabClass.className} ${tab === value ? tabClass.activeProps.className : ''}`}
                activeOptions={{ exact: true }}
                activeProps={{}}
                aria-current={tab === value ? 'page' : undefined}
              >
                {name}
              </Link>
            ))}
          </Tabs>
          {tab === 'profile' && <Profile />}
          {tab === 'security' && <SigningIn />}
          {tab === 'sessions' && <Sessions />}
          {tab === 'notifications' && <Notifications />}
          {tab === 'preferences' && <Preferences />}
        </Page>
      </main>
    </div>
  )
}

function SigningIn() {
  const account = usePersonal('account.read', {})
  return (
    <Loaded of={account}>
      {(known) => (
        <>
          <PasswordSection account={known} />
          <Passkeys passkeys={known.passkeys} />
          <TwoFactor account={known} />
        </>
      )}
    </Loaded>
  )
}
