import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { buttonClass } from '../ui/button.tsx'
import { Empty, Page, Skeleton, Unreadable } from '../ui/page.tsx'

/** An address that leads nowhere. */
export const Missing = () => (
  <Page title="Not found">
    <Empty
      icon={Compass}
      title="There is nothing at this address"
      action={
        <Link to="/" className={buttonClass('primary')}>
          Go to the inbox
        </Link>
      }
    >
      It may have been mistyped, or what was here is gone.
    </Empty>
  </Page>
)

/** The same outside of a workspace, where nothing stands around it. */
export const Alone = () => (
  <main>
    <Missing />
  </main>
)

/** A screen that broke. */
export const Broken = ({ error, reset }: { error: unknown; reset: () => void }) => (
  <Page title="Something went wrong">
    <Unreadable error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
  </Page>
)

export const Pending = () => (
  <div className="mx-auto w-full max-w-6xl px-4 py-6 md:px-8">
    <Skeleton lines={8} />
  </div>
)
