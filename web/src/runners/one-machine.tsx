import { Copyable } from '../ui/copy.tsx'

/** For a team on one machine: the server starts a runner beside itself. */
export const OneMachine = () => (
  <details>
    <summary className="min-h-6 cursor-pointer text-muted">Only one machine?</summary>
    <div className="mt-2 flex flex-col gap-2">
      <p>
        The server can start a runner next to itself. Ask the server operator to restart it like this, with a
        token from Settings, API tokens. The runner then appears in this list with the coding agents it found
        on that machine.
      </p>
      <Copyable text="SERVICE_API_KEY=tk_… npm start -- --with-runner" label="Copy command" />
    </div>
  </details>
)
