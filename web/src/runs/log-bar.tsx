import { ChevronDown, ChevronUp, CircleX, Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useWorkspace } from '../api/queries.ts'
import { counted, grouped } from '../browser/formats.ts'
import { useShortcuts } from '../browser/shortcuts.ts'
import { Button, buttonClass, IconButton } from '../ui/button.tsx'
import { Input } from '../ui/field.tsx'
import type { LogState } from './use-log.ts'

const states: Record<LogState, string> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost. Reconnecting…',
  ended: 'Complete',
}

interface Props {
  runKey: string
  state: LogState
  lines: number
  q: string
  found: number
  /** Which of the found lines is shown, from 1; 0 for none. */
  at: number
  onSearch: (text: string) => void
  onStep: (direction: 1 | -1) => void
  /** How many lines report an error, and the way to them. */
  errors: number
  onFirstError: () => void
  onError: (direction: 1 | -1) => void
  wraps: boolean
  onWrap: (wraps: boolean) => void
}

/** Search, where the log stands, and the way to all of it. */
export function LogBar({ runKey, state, lines, q, found, at, onSearch, onStep, ...rest }: Props) {
  const { errors, onFirstError, onError, wraps, onWrap } = rest
  const ws = useWorkspace()
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(q)
  // The address follows what is typed, a little later; it must not write over what has been typed since.
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(q)
  }, [q])
  useShortcuts({
    '/': { what: 'Search log', run: () => field.current?.focus() },
    n: { what: 'Next match', run: () => onStep(1) },
    N: { what: 'Previous match', run: () => onStep(-1) },
    e: { what: 'Next error', run: () => onError(1) },
    E: { what: 'Previous error', run: () => onError(-1) },
  })
  return (
    <div className="flex flex-wrap items-center gap-2 border-b p-2">
      <Input
        ref={field}
        type="search"
        aria-label="Search log"
        placeholder="Search"
        className="w-full! sm:w-56!"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value)
          onSearch(target.value)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1)
        }}
      />
      {q && (
        <>
          <span role="status" className="text-xs text-muted tabular-nums">
            {found === 0 ? 'No results' : `${at > 0 ? `${at} of ` : ''}${counted(found, 'line')}`}
          </span>
          <IconButton label="Previous match" onClick={() => onStep(-1)}>
            <ChevronUp size={14} />
          </IconButton>
          <IconButton label="Next match" onClick={() => onStep(1)}>
            <ChevronDown size={14} />
          </IconButton>
        </>
      )}
      {errors > 0 && (
        <Button
          size="small"
          icon={<CircleX size={14} aria-hidden="true" className="text-danger" />}
          onClick={onFirstError}
        >
          {errors === 1 ? '1 error' : `First of ${grouped(errors)} errors`}
        </Button>
      )}
      <Button
        size="small"
        look={wraps ? 'plain' : 'quiet'}
        aria-pressed={wraps}
        onClick={() => onWrap(!wraps)}
      >
        Wrap
      </Button>
      <span className="ml-auto text-xs text-muted tabular-nums">{counted(lines, 'line')}</span>
      <span role="status" className={`text-xs ${state === 'lost' ? 'text-danger' : 'text-muted'}`}>
        {states[state]}
      </span>
      <a
        href={`/api/w/${ws}/runs/${runKey}/log.txt`}
        download={`${runKey}.log.txt`}
        className={buttonClass('plain', 'small')}
      >
        <Download size={14} aria-hidden="true" />
        Raw
      </a>
    </div>
  )
}
