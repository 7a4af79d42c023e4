import type { ReactNode } from 'react'
import { Failure } from '../api/client.ts'
import { useReached } from '../api/reach.ts'
import { RefusalText } from './refusal-text.tsx'

/** Why the server did not do it: beside what was pressed, and there until the next try, or until the server is back. */
export function Refused({ error }: { error: Error | null }) {
  const failure = error instanceof Failure ? error : null
  const isOver = useReached() && failure?.code === 'unreachable'
  return (
    <Wrong>
      {error && !isOver && (
        <>
          <RefusalText
            text={failure?.message ?? 'Something went wrong on this page. Reload it and try again.'}
          />
          {/* The log says more only about what is the server's own fault. */}
          {failure?.requestId && failure.status >= 500 && (
            <span className="mt-0.5 block font-mono text-xs break-all">Request {failure.requestId}</span>
          )}
        </>
      )}
    </Wrong>
  )
}

/** What is wrong, in words. Always there, so that it is read out when it fills. */
export function Wrong({ children }: { children: ReactNode }) {
  return (
    <div role="alert" className="empty:hidden">
      {children && (
        <p className="rounded-md bg-danger-soft px-3 py-2 text-sm break-words text-danger">
          {typeof children === 'string' ? <RefusalText text={children} /> : children}
        </p>
      )}
    </div>
  )
}
