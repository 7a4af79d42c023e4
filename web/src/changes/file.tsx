import type { DiffFile } from '@signalbox/contract/app/runs.ts'
import { ChevronRight, Lock } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { useRead } from '../api/queries.ts'
import { counted } from '../browser/formats.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Loaded } from '../ui/page.tsx'
import { Counts } from './counts.tsx'
import type { Layout } from './layout.ts'
import { DiffLines } from './lines.tsx'
import { isLocked, modeWords, statusWords } from './words.ts'

/** Of a race, whose change it is. */
type WhichAgent = 'first' | 'second' | undefined

/** One changed file: its name, which folds it, and its lines. */
export const ChangedFile = memo(function ChangedFile({
  run,
  agent,
  file,
  layout,
  level,
  isOpen,
  onToggle,
}: {
  run: string | null
  agent: WhichAgent
  file: DiffFile
  layout: Layout
  level: 3 | 4
  isOpen: boolean
  onToggle: (path: string) => void
}) {
  const Heading = `h${level}` as const
  const { path, oldPath, status, mode } = file
  return (
    <article aria-label={path} data-file={path} className="rounded-lg border bg-surface">
      <header
        className={`sticky top-0 z-5 flex items-center gap-2 rounded-t-lg bg-surface pr-1 ${isOpen ? 'border-b' : 'rounded-b-lg'}`}
      >
        <Heading className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => onToggle(path)}
            className="flex min-h-10 w-full min-w-0 scroll-mt-2 items-center gap-2 rounded-lg px-2 py-1.5 text-left"
          >
            <ChevronRight
              size={14}
              aria-hidden="true"
              className={`shrink-0 text-muted ${isOpen ? 'rotate-90' : ''}`}
            />
            <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-0.5">
              <code className="min-w-0 font-mono text-xs wrap-anywhere">
                {oldPath && oldPath !== path && <span className="text-muted">{oldPath} → </span>}
                {path}
              </code>
              {status !== 'modified' && <Badge {...statusWords[status]} />}
              {mode && <Badge tone="warn" word={modeWords(mode)} />}
              {isLocked(path) && <Badge tone="warn" icon={Lock} word="Acceptance spec, locked" />}
            </span>
            <Counts of={file} />
          </button>
        </Heading>
        <span className="max-sm:hidden">
          <CopyButton text={path} label="Copy path" />
        </span>
      </header>
      {isOpen ? (
        <Body run={run} agent={agent} file={file} layout={layout} />
      ) : (
        file.isLarge && (
          <Note>
            This file is large: {counted(file.additions + file.deletions, 'changed line')}.{' '}
            <Button size="small" onClick={() => onToggle(path)}>
              Show file
            </Button>
          </Note>
        )
      )}
    </article>
  )
})

interface Whose {
  run: string | null
  agent: WhichAgent
  layout: Layout
}

function Body({ run, agent, file, layout }: Whose & { file: DiffFile }) {
  if (file.isBinary) return <Note>This is a binary file, so it has no lines to show.</Note>
  if (file.hunks === null && run !== null)
    return <Fetched run={run} agent={agent} path={file.path} layout={layout} />
  if (!file.hunks) return <Note>No lines changed.</Note>
  return (
    <div className="overflow-hidden rounded-b-lg">
      <DiffLines path={file.path} hunks={file.hunks} layout={layout} />
    </div>
  )
}

/** A file too long to come with the others. */
function Fetched({ run, agent, path, layout }: Whose & { run: string; path: string }) {
  const read = useRead('runs.diff', { key: run, path, ...(agent ? { agent } : {}) })
  return (
    <Loaded of={read} lines={3}>
      {({ diff }) => {
        const hunks = diff?.files[0]?.hunks
        return hunks ? (
          <DiffLines path={path} hunks={hunks} layout={layout} />
        ) : (
          <Note>This file is no longer part of the change.</Note>
        )
      }}
    </Loaded>
  )
}

const Note = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-2 border-t px-3 py-2 text-sm text-muted">{children}</div>
)
