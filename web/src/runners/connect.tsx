import type { NewToken } from '@signalbox/contract/app/tokens.ts'
import { runnerCommand } from '@signalbox/contract/runner-install-command.ts'
import { type ReactNode, useState } from 'react'
import { useRead } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { ChoiceField } from '../ui/choice.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loaded } from '../ui/page.tsx'
import { Wrong } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { Arrival } from './arrival.tsx'
import { OneMachine } from './one-machine.tsx'
import { RunnerToken } from './runner-token.tsx'

/** What to type on the machine that shall do the work, with a token that is made here, and whether it has arrived. */
export function ConnectRunner({ onClose }: { onClose: () => void }) {
  const program = useRead('runners.program', {})
  /** Its value is kept here and nowhere else. */
  const [made, setMade] = useState<NewToken | null>(null)
  return (
    <Dialog open onClose={onClose} title="Add runner" wide>
      <div className="flex flex-col gap-4 text-sm">
        <p>
          A runner runs coding agents on one of your machines. It only calls this server, so you don’t have to
          open a port.
        </p>
        <Loaded of={program} lines={4}>
          {({ program: served, folders }) =>
            served ? (
              <ol className="flex flex-col gap-4">
                <Step number={1} title="Prepare the machine">
                  <p>
                    Install Node {served.leastNode} or later, git and a coding agent such as Claude Code,
                    Codex or Gemini CLI. On Linux, also install bubblewrap, which sandboxes the agent.
                  </p>
                </Step>
                <Step number={2} title="Create a token for it">
                  {made ? <Made token={made} /> : <RunnerToken onMade={setMade} />}
                </Step>
                <Step number={3} title="Run this command on the machine">
                  <Command served={served} known={folders} token={made?.token ?? null} />
                </Step>
              </ol>
            ) : (
              <Wrong>
                This server was started without its runner. Ask the server operator to run npm run build and
                start it again.
              </Wrong>
            )
          }
        </Loaded>
        {made && <Arrival token={made.token} />}
        {program.data && (
          <OneMachine command={program.data.restart} token={made?.token ?? null} onMade={setMade} />
        )}
      </div>
    </Dialog>
  )
}

const Step = ({ number, title, children }: { number: number; title: string; children: ReactNode }) => (
  <li className="flex gap-3">
    <span className="flex size-6 shrink-0 items-center justify-center rounded-full border text-xs font-medium">
      {number}
    </span>
    <div className="flex min-w-0 flex-1 flex-col gap-2">
      <h3 className="font-medium">{title}</h3>
      {children}
    </div>
  </li>
)

const boxes: Record<string, string> = {
  auto: 'Automatic (recommended)',
  bubblewrap: 'bubblewrap',
  gvisor: 'gVisor',
  none: 'None',
}

interface CommandProps {
  served: { path: string; sha256: string }
  /** Folders that repositories of this workspace are in. */
  known: string[]
  token: string | null
}

function Command({ served, known, token }: CommandProps) {
  const [folders, setFolders] = useState(known.join(', '))
  const [box, setBox] = useState('auto')
  const [agent, setAgent] = useState('')
  const command = runnerCommand({
    ...{ url: location.origin, program: served, token: token ?? 'tk_…', box, agent: agent.trim() },
    folders: folders
      .split(',')
      .map((folder) => folder.trim())
      .filter(Boolean),
  })
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Folders with repositories it may use"
          hint="Only for repositories on the same disk. For example /srv/git"
          value={folders}
          onChange={setFolders}
          className="font-mono"
          spellCheck={false}
        />
        <ChoiceField label="Sandbox" of={boxes} value={box} onChange={setBox} />
        <div className="sm:col-span-2">
          <TextField
            label="Your own agent program"
            hint="Optional. A command that does the work instead of an installed agent, such as /opt/agent/run.sh"
            value={agent}
            onChange={setAgent}
            className="font-mono"
            spellCheck={false}
          />
        </div>
      </div>
      {token ? (
        <Copyable text={command} label="Copy command" />
      ) : (
        <p className="text-muted">The command appears here with the token filled in.</p>
      )}
      <p className="text-xs text-muted">
        It downloads the runner from this server, checks its SHA-256 and starts it. Stop it with Ctrl+C.
      </p>
    </div>
  )
}

const Made = ({ token }: { token: NewToken }) => (
  <span>
    <span className="font-medium">{token.name}</span> works until {dateOf(token.expiresAt)}. It’s in the
    command below. You won’t see it again, so copy the command before you close this.
  </span>
)
