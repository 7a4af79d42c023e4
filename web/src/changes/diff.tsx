import type { Diff, DiffFile } from '@signalbox/contract/app/runs.ts'
import { AlertTriangle } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { grouped } from '../browser/formats.ts'
import { useShortcuts } from '../browser/shortcuts.ts'
import { Button } from '../ui/button.tsx'
import { Counts } from './counts.tsx'
import { ChangedFile } from './file.tsx'
import { chooseLayout, type Layout, useHasRoom, useLayout } from './layout.ts'
import { goTo, stepHunk } from './step-hunk.ts'
import { statusWords } from './words.ts'

export interface ShownDiff {
  /** Whose change it is; null: no run’s, and all of it is there. */
  run: string | null
  /** Of a race, whose change it is. */
  agent?: 'first' | 'second' | undefined
  diff: Diff
  /** Of the headings above the files. */
  level: 3 | 4
  /** What goes to the next file and the one before. */
  keys: { next: string; previous: string }
  /** How many lines are unfolded at first. */
  mostLines: number
  /** Where to begin: `path:line`, by its number after the change. */
  at?: string | undefined
}

/** A change, file by file. */
export default function DiffView({ run, agent, diff, level, keys, mostLines, at }: ShownDiff) {
  const place = useRef<HTMLDivElement>(null)
  const [chosen, hasRoom] = [useLayout(), useHasRoom(place)]
  const layout = hasRoom ? chosen : 'unified'
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback(
    (path: string) =>
      setToggled((before) => {
        const after = new Set(before)
        if (!after.delete(path)) after.add(path)
        return after
      }),
    [],
  )
  const [spec, change] = [diff.files.filter(isOfSpec), diff.files.filter((file) => !isOfSpec(file))]
  const openAtFirst = firstOpen(diff.files, mostLines)
  const isOpen = (path: string) => openAtFirst.has(path) !== toggled.has(path)
  const sections = () => [...place.current!.querySelectorAll<HTMLElement>('[data-file]')]
  const show = (section: HTMLElement | undefined) => {
    if (!section) return
    if (!isOpen(section.dataset.file!)) toggle(section.dataset.file!)
    section.scrollIntoView({ block: 'start' })
    section.querySelector<HTMLElement>('[aria-expanded]')!.focus({ preventScroll: true })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: gone to once for each address
  useEffect(() => {
    const [path, line] = [at?.replace(/:\d+$/, ''), Number(at?.match(/:(\d+)$/)?.[1])]
    const section = sections().find(({ dataset }) => dataset.file === path)
    show(section)
    return section && line ? whenThere(section, `[data-line="${line}"]`, goTo) : undefined
  }, [at])
  const step = (by: 1 | -1) => {
    const all = sections()
    const focused = all.findIndex((section) => section.contains(document.activeElement))
    // Without a focus in it: from what is at the top of the screen.
    const next = all.findIndex((section) => section.getBoundingClientRect().top > 16)
    const here = focused >= 0 ? focused : next < 0 ? all.length : next - (by > 0 ? 1 : 0)
    show(all[Math.min(Math.max(here + by, 0), all.length - 1)])
  }
  useShortcuts({
    [keys.next]: { what: 'Next file', run: () => step(1) },
    [keys.previous]: { what: 'Previous file', run: () => step(-1) },
    h: { what: 'Next hunk', run: () => stepHunk(place.current!, 1) },
    H: { what: 'Previous hunk', run: () => stepHunk(place.current!, -1) },
    c: { what: 'Comment on line', run: commentHere },
  })
  return (
    <div ref={place} className="flex flex-col gap-4">
      {diff.findings.length > 0 && <Findings findings={diff.findings} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="flex flex-wrap items-center gap-x-2 text-sm">
          {counted(change.length + diff.moreFiles)} <Counts of={without(diff, spec)} />
          {spec.length > 0 && (
            <span className="flex items-center gap-x-2 text-muted">
              and the acceptance spec: {counted(spec.length)} <Counts of={sumOf(spec)} />
            </span>
          )}
        </p>
        <LayoutChoice chosen={layout} hasRoom={hasRoom} />
      </div>
      {diff.files.length > 1 && <FileList files={diff.files} onPick={(index) => show(sections()[index])} />}
      {diff.files.map((file) => (
        <ChangedFile
          key={file.path}
          run={run}
          agent={agent}
          file={file}
          layout={layout}
          level={level}
          isOpen={isOpen(file.path)}
          onToggle={toggle}
        />
      ))}
      {diff.moreFiles > 0 && (
        <p className="text-sm text-muted">{counted(diff.moreFiles)} more can’t be shown here.</p>
      )}
    </div>
  )
}

/** Lines are drawn when their file comes near: goes to one as soon as it is there. Returns what gives it up. */
function whenThere(place: HTMLElement, selector: string, go: (row: HTMLElement) => void): () => void {
  const look = () => {
    const row = place.querySelector<HTMLElement>(selector)
    if (!row) return
    observer.disconnect()
    go(row)
  }
  const observer = new MutationObserver(look)
  observer.observe(place, { childList: true, subtree: true })
  look()
  return () => observer.disconnect()
}

/** On the line that has the focus, or the first of the hunk that has it, where lines can be commented on. */
function commentHere(): void {
  let row: Element | null | undefined = document.activeElement?.closest('tr')
  if (row?.matches('[data-hunk]')) row = row.nextElementSibling
  row?.querySelector<HTMLElement>('[data-comment]')?.click()
}

/** A runner puts the pinned spec on top: it is no part of what is counted elsewhere. */
const isOfSpec = ({ path }: DiffFile) => path.startsWith('.kanman/acceptance/')

type Count = Pick<DiffFile, 'additions' | 'deletions'>

const sumOf = (files: Count[]): Count => ({
  additions: files.reduce((sum, { additions }) => sum + additions, 0),
  deletions: files.reduce((sum, { deletions }) => sum + deletions, 0),
})

function without(all: Count, files: Count[]): Count {
  const { additions, deletions } = sumOf(files)
  return { additions: all.additions - additions, deletions: all.deletions - deletions }
}

const counted = (files: number) => `${grouped(files)} ${files === 1 ? 'file' : 'files'}`

/** As far as the lines reach, in the order of the files; large ones are left folded. */
function firstOpen(files: DiffFile[], mostLines: number): Set<string> {
  let left = mostLines
  const open = files.filter(({ additions, deletions, isLarge }) => {
    const fits = !isLarge && additions + deletions <= left
    if (fits) left -= additions + deletions
    return fits
  })
  return new Set(open.map(({ path }) => path))
}

const Findings = ({ findings }: { findings: string[] }) => (
  <section aria-label="Diff guard findings" className="rounded-lg border border-warn bg-warn-soft px-3 py-2">
    <p className="flex items-center gap-2 text-sm font-medium text-warn">
      <AlertTriangle size={14} aria-hidden="true" className="shrink-0" />
      {findings.length === 1
        ? 'The diff guard found a problem'
        : `The diff guard found ${findings.length} problems`}
    </p>
    <ul className="mt-1 list-disc pl-9 text-sm break-words">
      {findings.map((finding) => (
        <li key={finding}>{finding}</li>
      ))}
    </ul>
  </section>
)

const layouts: [Layout, string][] = [
  ['unified', 'Unified'],
  ['side-by-side', 'Side by side'],
]

function LayoutChoice({ chosen, hasRoom }: { chosen: Layout; hasRoom: boolean }) {
  return (
    <fieldset className="flex gap-1 max-sm:hidden">
      <legend className="sr-only">Layout</legend>
      {layouts.map(([layout, name]) => (
        <Button
          key={layout}
          size="small"
          look={layout === chosen ? 'plain' : 'quiet'}
          aria-pressed={layout === chosen}
          forbidden={layout === 'side-by-side' && !hasRoom && 'Needs a wider window'}
          onClick={() => chooseLayout(layout)}
        >
          {name}
        </Button>
      ))}
    </fieldset>
  )
}

function FileList({ files, onPick }: { files: DiffFile[]; onPick: (index: number) => void }) {
  return (
    <nav aria-label="Changed files" className="max-h-72 overflow-y-auto rounded-lg border bg-surface">
      <ul className="divide-y">
        {files.map((file, index) => {
          const { icon: Icon, word } = statusWords[file.status]
          return (
            <li key={file.path}>
              <button
                type="button"
                onClick={() => onPick(index)}
                className="flex min-h-8 w-full items-center gap-2 px-3 py-1 text-left -outline-offset-2! hover:bg-hover"
              >
                <Icon size={14} aria-label={word} className="shrink-0 text-muted" />
                <code className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{file.path}</code>
                <Counts of={file} />
              </button>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}
