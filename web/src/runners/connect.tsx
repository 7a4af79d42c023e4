import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../api/queries.ts'
import { Copyable } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** What to type on the machine that shall do the work. */
export function ConnectRunner({ onClose }: { onClose: () => void }) {
  const ws = useWorkspace()
  return (
    <Dialog open onClose={onClose} title="Connect a runner" wide>
      <div className="flex flex-col gap-4 text-sm">
        <p>
          A runner does the work on a machine of yours. It needs git and at least one coding agent, and it
          calls this server: no port has to be opened.
        </p>
        <ol className="flex list-decimal flex-col gap-3 pl-5">
          <li>
            <Link
              to="/$ws/settings/api"
              params={{ ws }}
              search={{ create: 'yes' }}
              className="text-accent underline"
            >
              Create a token
            </Link>{' '}
            for it. Any permission will do.
          </li>
          <li className="flex flex-col gap-1">
            <span>Start the runner on the machine, with the token in place of tk_…</span>
            <Copyable
              text={`SERVICE_API_KEY=tk_… npx signalbox-runner --url ${location.origin}`}
              label="Copy command"
            />
          </li>
          <li>
            It appears in this list within seconds, with the agents it found and what it can keep closed.
          </li>
        </ol>
      </div>
    </Dialog>
  )
}
