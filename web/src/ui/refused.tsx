import { Failure } from '../api/client.ts'

/** Why the server did not do it: beside what was pressed, and there until the next try. */
export function Refused({ error }: { error: Error | null }) {
  const failure = error instanceof Failure ? error : null
  return (
    <div role="alert" className="empty:hidden">
      {error && (
        <div className="rounded-md bg-danger-soft px-3 py-2 text-[13px] break-words text-danger">
          <p>{failure?.message ?? 'Something went wrong in this page. Reload it.'}</p>
          {/* The log says more only about what is the server's own fault. */}
          {failure?.requestId && failure.status >= 500 && (
            <p className="mt-0.5 font-mono text-xs break-all">Request {failure.requestId}</p>
          )}
        </div>
      )}
    </div>
  )
}
