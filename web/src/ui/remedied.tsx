import { type Remedy, remedyIn } from '@signalbox/contract/remedy.ts'
import { useMe } from '../api/me.ts'
import { CopyButton, OneLine } from './copy.tsx'

/** A refusal with its remedy: the line to paste for people who can set it, whom to ask for everyone else. */
export default function Remedied({ text }: { text: string }) {
  const remedy = remedyIn(text)
  return remedy ? <WithRemedy text={text} {...remedy} /> : text
}

function WithRemedy({ text, ...remedy }: Remedy & { text: string }) {
  const today = useMe()?.setToday ?? null
  const maySet = today !== null && remedy.of === 'server'
  const { line } = remedyIn(text, today ?? {})!
  return (
    <>
      {maySet ? text.replace(remedy.asks, '').trimEnd() : text}{' '}
      <a href={remedy.doc} target="_blank" rel="noopener" className="whitespace-nowrap underline">
        See the manual
      </a>
      {(maySet || remedy.of === 'runner') && (
        <span className="mt-1.5 block text-text">
          {maySet ? 'Set this for the server and restart it:' : 'Add this where the runner is started:'}
          <span className="mt-1 flex items-start gap-1 rounded-md border bg-bg py-1 pr-1 pl-3">
            <OneLine>{line}</OneLine>
            <CopyButton text={line} label="Copy line" />
          </span>
        </span>
      )}
    </>
  )
}
