import { visible } from '@signalbox/contract/visible.ts'
import { lazy, Suspense } from 'react'
import { code } from '../api/code.ts'
import { type PlainBlock, plainBlocks } from './plain-blocks.ts'

const Rendered = lazy(() => code(() => import('./markdown-rendered.tsx')))

/**
 * Text written by people, agents and alerts. It is hostile until proven otherwise: no HTML, no images from elsewhere,
 * links only to the web, and invisible characters are written out. The renderer follows after the first paint; until
 * then the words are there without their marks.
 */
export function Markdown({ text: written }: { text: string }) {
  const text = visible(written)
  return (
    <Suspense fallback={<Plain text={text} />}>
      <Rendered text={text} />
    </Suspense>
  )
}

const looks = {
  text: 'my-2 leading-relaxed whitespace-pre-line',
  heading: 'mt-4 mb-1 font-semibold',
  item: 'my-1 ml-5 list-item list-disc leading-relaxed',
  step: 'my-1 pl-5 -indent-4 leading-relaxed',
  code: 'my-2 overflow-x-auto rounded-md border bg-bg p-3 font-mono text-xs whitespace-pre',
}

const looksOf = ({ kind, isQuoted }: PlainBlock) =>
  isQuoted ? `${looks[kind]} my-0! border-l-2 py-1 pl-3 text-muted` : looks[kind]

const Plain = ({ text }: { text: string }) => (
  <div data-interim className="text-sm break-words [&>*:first-child]:mt-0 [&>*:last-child]:mb-0">
    {plainBlocks(text).map((block, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
      <div key={index} dir={block.kind === 'code' ? 'ltr' : 'auto'} className={looksOf(block)}>
        {block.text}
      </div>
    ))}
  </div>
)
