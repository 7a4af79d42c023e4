import type { NewToken } from '@signalbox/contract/app/tokens.ts'
import { Copyable } from '../ui/copy.tsx'
import { RunnerToken } from './runner-token.tsx'

interface OneMachineProps {
  /** What starts the server again with a runner; null: it is not started by a command that has the option. */
  command: string | null
  token: string | null
  onMade: (token: NewToken) => void
}

/** For a team on one machine: the server starts a runner next to itself, or the command above is used there. */
export const OneMachine = ({ command, token, onMade }: OneMachineProps) => (
  <details>
    <summary className="min-h-6 cursor-pointer text-muted">Only one machine?</summary>
    <div className="mt-2 flex flex-col gap-2">
      {command === null ? (
        <p>
          Run the command from step 3 on the server’s machine. You don’t have to restart the server. It can’t
          start a runner next to itself because it runs as a service, in a container or as the demo.
        </p>
      ) : (
        <>
          <p>
            The server can start a runner next to itself, which needs a restart. Stop the server, then start
            it in the same folder with this command and your usual settings. The runner then appears in the
            list of runners with the coding agents it found on that machine.
          </p>
          {token === null ? (
            <RunnerToken onMade={onMade} />
          ) : (
            <Copyable text={`SERVICE_API_KEY=${token} ${command}`} label="Copy restart command" />
          )}
        </>
      )}
    </div>
  </details>
)
