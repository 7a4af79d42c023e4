import type { Me } from '@signalbox/contract/app/me.ts'
import { Link } from '@tanstack/react-router'
import { AlertTriangle, Compass } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Failure } from '../api/client.ts'
import { isMendedByReload, reload } from '../api/code.ts'
import { onReached } from '../api/reach.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Empty, Page, Skeleton } from '../ui/page.tsx'
import { complain } from '../ui/toast.tsx'

/** An address that leads nowhere. */
export const Missing = () => (
  <Page title="Not found">
    <Empty
      icon={Compass}
      title="Page not found"
      action={
        <Link to="/" className={buttonClass('primary')}>
          Go to inbox
        </Link>
      }
    >
      The link may be wrong, or the page was removed.
    </Empty>
  </Page>
)

/** For what has nothing standing around it. */
const Bare = ({ children }: { children: ReactNode }) => (
  <main className="min-h-dvh bg-surface">
    <div className="mx-auto max-w-3xl">{children}</div>
  </main>
)

export const NotFoundPage = () => (
  <Bare>
    <Missing />
  </Bare>
)

/**
 * A workspace that is not there, or not for this person: the server does not tell which. `former` is its name, when
 * they were a member until just now.
 */
export const NotAMember = ({ slug, me, former }: { slug: string; me: Me; former: string | null }) => (
  <Bare>
    <Page title={former ?? 'Not found'}>
      {former ? (
        <div role="alert">
          <Empty icon={Compass} title={`You’re no longer a member of ${former}`}>
            You were removed, or the workspace was deleted. You’re still signed in as {me.email}; if this is a
            mistake, ask an owner for an invitation.
          </Empty>
        </div>
      ) : (
        <Empty icon={Compass} title={`You’re not a member of “${slug}”`}>
          You’re signed in as {me.email}. If you should have access, ask an owner for an invitation.
        </Empty>
      )}
      <ul className="mt-4 flex flex-wrap justify-center gap-2">
        {me.workspaces.map((workspace) => (
          <li key={workspace.slug} className="max-w-full">
            <Link to="/$ws/inbox" params={{ ws: workspace.slug }} className={`${buttonClass()} max-w-full`}>
              <span className="truncate">Go to {workspace.name}</span>
            </Link>
          </li>
        ))}
        {me.workspaces.length === 0 && (
          <li>
            <Link to="/new" className={buttonClass()}>
              Create workspace
            </Link>
          </li>
        )}
      </ul>
    </Page>
  </Bare>
)

/** A screen that broke, or did not arrive. One that is outdated by an update, or that the server was away for, reloads itself. */
export function Broken({ error }: { error: unknown }) {
  const [mending] = useState(() => isMendedByReload(error))
  useEffect(() => {
    if (mending) void reload().catch(complain)
  }, [mending])
  const isAway = error instanceof Failure && error.code === 'unreachable'
  useEffect(() => (isAway ? onReached(() => void reload().catch(complain)) : undefined), [isAway])
  return mending ? (
    <Pending />
  ) : (
    <Page title="Something went wrong">
      <div role="alert">
        <Empty
          icon={AlertTriangle}
          title={error instanceof Failure ? error.message : 'Something went wrong on this page.'}
          action={<Button onClick={() => void reload().catch(complain)}>Reload page</Button>}
        />
      </div>
    </Page>
  )
}

export const BrokenPage = (props: { error: unknown }) => (
  <Bare>
    <Broken {...props} />
  </Bare>
)

export const Pending = () => (
  <div className="w-full max-w-7xl px-4 py-5 md:px-8 md:py-6">
    <Skeleton lines={8} />
  </div>
)
