import { ArrowRight } from 'lucide-react'
import { type Difference, settingNames } from './differences.ts'
import { valueInWords } from './words.ts'

/** Before and after of each setting. Paths are told as added and removed. */
export function DifferenceList({ of }: { of: Difference[] }) {
  return (
    <ul className="flex flex-col gap-1.5 text-sm">
      {of.map((difference) => (
        <li key={difference.setting} className="break-words">
          <span className="font-medium">{settingNames[difference.setting]}: </span>
          <BeforeAndAfter {...difference} />
        </li>
      ))}
    </ul>
  )
}

function BeforeAndAfter(difference: Difference) {
  const { setting, before, after } = difference
  if (setting === 'deniedPaths') return <PathChanges before={before} after={after} />
  if (before === undefined) return valueInWords(setting, after)
  return (
    <>
      <span className="text-muted line-through decoration-1">
        <span className="sr-only">from </span>
        {valueInWords(setting, before)}
      </span>
      <ArrowRight size={12} aria-hidden="true" className="mx-1.5 inline text-muted" />
      <span className="sr-only"> to </span>
      {valueInWords(setting, after)}
    </>
  )
}

export function PathChanges({ before, after }: Pick<Difference, 'before' | 'after'>) {
  const [old, now] = [(before ?? []) as string[], after as string[]]
  return (
    <span>
      <Paths word="added" paths={now.filter((path) => !old.includes(path))} />{' '}
      <Paths word="removed" paths={old.filter((path) => !now.includes(path))} />
    </span>
  )
}

const Paths = ({ word, paths }: { word: string; paths: string[] }) =>
  paths.length > 0 && (
    <>
      {word} <code className="font-mono text-xs break-all">{paths.join(', ')}</code>
    </>
  )
