import { memo } from 'react'
import { cutAtMarks, marksOf, type Stretch } from './changed-words.ts'
import type { Colours } from './colours.ts'
import { cutAtHidden, nameOf } from './hidden.ts'
import { type Hunk, type Line, pairsOf } from './hunks.ts'
import type { Layout } from './layout.ts'
import { CommentOn } from './line-comments.tsx'
import type { Role, Span } from './spans.ts'

/** A row of the table: the head of a hunk, a line, or two beside each other. */
export type Row =
  | { head: string; columns: number }
  | { hunk: Hunk; line: Line }
  | { hunk: Hunk; before: Line | null; after: Line | null }

export const rowsOf = (hunks: Hunk[], layout: Layout): Row[] =>
  hunks.flatMap((hunk): Row[] => [
    { head: hunk.head, columns: layout === 'unified' ? 4 : 6 },
    ...(layout === 'unified'
      ? hunk.lines.map((line) => ({ hunk, line }))
      : pairsOf(hunk.lines).map(([before, after]) => ({ hunk, before, after }))),
  ])

/** Of a line that is not broken, in pixels. */
export const rowHeight = 17.5

const number = 'px-1.5 text-right align-top text-2xs leading-5 text-muted tabular-nums select-none'
const kinds = {
  context: { background: '', sign: '', word: '', changed: '' },
  added: { background: 'bg-ok-soft', sign: '+', word: 'Added', changed: 'shadow-[inset_0_-2px_0_var(--ok)]' },
  removed: {
    background: 'bg-danger-soft',
    sign: '−',
    word: 'Removed',
    changed: 'shadow-[inset_0_-2px_0_var(--danger)]',
  },
}

/** How wide the columns are, and what they are called. A phone has one column of numbers. */
export const Columns = ({ layout }: { layout: Layout }) =>
  layout === 'unified' ? (
    <>
      <colgroup>
        <col className="w-11 max-sm:w-0" />
        <col className="w-11" />
        <col className="w-5" />
        <col />
      </colgroup>
      <thead className="sr-only">
        <tr>
          <th scope="col">Line before</th>
          <th scope="col">Line after</th>
          <th scope="col">Change</th>
          <th scope="col">Code</th>
        </tr>
      </thead>
    </>
  ) : (
    <>
      <colgroup>
        <col className="w-11" />
        <col className="w-5" />
        <col />
        <col className="w-11" />
        <col className="w-5" />
        <col />
      </colgroup>
      <thead className="sr-only">
        <tr>
          <th scope="col">Line before</th>
          <th scope="col">Removed</th>
          <th scope="col">Code before</th>
          <th scope="col">Line after</th>
          <th scope="col">Added</th>
          <th scope="col">Code after</th>
        </tr>
      </thead>
    </>
  )

/** The line that a link led to: cells are drawn over the outline of their row. */
const isGoneTo = 'focus:[&>td]:shadow-[inset_0_1px_0_var(--accent),inset_0_-1px_0_var(--accent)]'

export const DiffRow = memo(function DiffRow({
  row,
  colours,
  index,
  measure,
}: {
  row: Row
  colours: Colours
  /** Where rows come and go: which one it is, and who wants to know how tall it is. */
  index?: number
  measure?: (element: HTMLTableRowElement | null) => void
}) {
  const measured = { ref: measure, 'data-index': index, tabIndex: -1 }
  if ('head' in row)
    return (
      <tr {...measured} data-hunk className="bg-info-soft -outline-offset-2!">
        <td colSpan={row.columns} className="px-3 leading-5 break-words whitespace-pre-wrap text-muted">
          {row.head}
        </td>
      </tr>
    )
  if ('line' in row) {
    const { kind, before, after } = row.line
    return (
      <tr
        {...measured}
        data-line={after ?? undefined}
        className={`group -outline-offset-2! ${isGoneTo} ${kinds[kind].background}`}
      >
        <td className={`${number} max-sm:p-0`}>
          <span className="max-sm:hidden">{before}</span>
        </td>
        <td className={number}>{after ?? <span className="sm:hidden">{before}</span>}</td>
        <Sign of={row.line} />
        <Code line={row.line} spans={colours(row.hunk, row.line)} marks={marksOf(row.hunk, row.line)} />
      </tr>
    )
  }
  return (
    <tr
      {...measured}
      data-line={row.after?.after ?? undefined}
      className={`group -outline-offset-2! ${isGoneTo}`}
    >
      <Side
        line={row.before}
        number={row.before?.before}
        spans={row.before && colours(row.hunk, row.before)}
        marks={row.before ? marksOf(row.hunk, row.before) : []}
      />
      <Side
        line={row.after}
        number={row.after?.after}
        spans={row.after && colours(row.hunk, row.after)}
        marks={row.after ? marksOf(row.hunk, row.after) : []}
        isRight
      />
    </tr>
  )
})

interface SideProps {
  line: Line | null
  number: number | null | undefined
  spans: Span[] | null
  marks: Stretch[]
  isRight?: boolean
}

function Side({ line, number: shown, spans, marks, isRight }: SideProps) {
  const background = line ? kinds[line.kind].background : 'bg-bg'
  const edge = isRight ? 'border-l' : ''
  if (!line) return <td colSpan={3} className={`${background} ${edge}`} />
  return (
    <>
      <td className={`${number} ${background} ${edge}`}>{shown}</td>
      <Sign of={line} />
      {/* A line that stays is on both sides; it is commented on once. */}
      <Code line={line} spans={spans} marks={marks} isMute={!isRight && line.kind !== 'removed'} />
    </>
  )
}

/** With a sign and a word: colour alone is not accessible. */
function Sign({ of: { kind } }: { of: Line }) {
  const { background, sign, word } = kinds[kind]
  return (
    <td className={`text-center align-top leading-5 select-none ${background}`}>
      <span aria-hidden="true">{sign}</span>
      {word && <span className="sr-only">{word}</span>}
    </td>
  )
}

const roleClasses: Record<Role, string> = {
  keyword: 'text-accent',
  text: 'text-info',
  value: 'text-warn',
  name: 'font-medium',
  comment: 'text-muted italic',
}

/** Long lines are broken: what runs out of sight is not seen before it is approved. */
function Code({
  line,
  spans,
  marks,
  isMute,
}: {
  line: Line
  spans: Span[] | null
  marks: Stretch[]
  isMute?: boolean
}) {
  const { background, changed } = kinds[line.kind]
  return (
    <td
      dir="ltr"
      className={`relative pr-3 align-top leading-5 whitespace-pre-wrap [tab-size:4] ${background}`}
    >
      {piecesOf(line, spans, marks).map(({ text, role, isMarked }, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line never move
          key={index}
          className={`${role ? roleClasses[role] : ''} ${isMarked ? changed : ''}`}
        >
          <Visible text={text} />
        </span>
      ))}
      {line.isUnended && <Mark title="No newline at end of file">no line break</Mark>}
      {!isMute && <CommentOn line={line} />}
    </td>
  )
}

/** A line cut where its colour changes, and where a changed word begins or ends. */
function piecesOf(line: Line, spans: Span[] | null, marks: Stretch[]) {
  let at = 0
  return (spans ?? [{ text: line.text, role: null }]).flatMap(({ text, role }) => {
    const pieces = cutAtMarks(text, at, marks).map((piece) => ({ ...piece, role }))
    at += text.length
    return pieces
  })
}

const Visible = ({ text }: { text: string }) =>
  cutAtHidden(text).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line never move
      <Mark key={index} title="Invisible character">
        {nameOf(part)}
      </Mark>
    ) : (
      part
    ),
  )

const Mark = ({ title, children }: { title: string; children: string }) => (
  <span
    title={title}
    className="mx-0.5 rounded-xs bg-warn-soft px-1 font-sans text-2xs text-warn outline outline-warn select-none"
  >
    {children}
  </span>
)
