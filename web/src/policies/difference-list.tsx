import { ArrowRight } from 'lucide-react'
import { type Difference, settingNames } from './differences.ts'
import { valueInWords } from './words.ts'

/** Before and after of each setting. Paths are told as added and taken away. */
export function DifferenceList({ of }: { of: Difference[] }) {
  return (
    <ul className="flex flex-col gap-1.5 text-[13px]">
      {of.map((difference) => (
        <li key={difference.setting} className="break-words">
          <span className="font-medium">{settingNames[difference.setting]}: </span>
          {difference.setting === 'deniedPaths' ? (
            <Paths {...difference} />
          ) : difference.before === undefined || (difference.before === null && isNew(difference)) ? (
            valueInWords(difference.setting, difference.after)
          ) : (
            <>
              <span className="text-muted line-through decoration-1">
                <span className="sr-only">from </span>
                {valueInWords(difference.setting, difference.before)}
              </span>
              <ArrowRight size={12} aria-hidden="true" className="mx-1.5 inline text-muted" />
              <span className="sr-only"> to </span>
              {valueInWords(difference.setting, difference.after)}
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The log writes null where there was no policy; only limits can be null themselves. */
const isNew = ({ setting }: Difference) => !setting.startsWith('budgets.') && setting !== 'autoMergeMaxLines'

function Paths({ before, after }: Difference) {
  const [old, now] = [(before ?? []) as string[], after as string[]]
  const added = now.filter((path) => !old.includes(path))
  const removed = old.filter((path) => !now.includes(path))
  return (
    <span>
      {added.length > 0 && (
        <>
          added <code className="font-mono text-xs break-all">{added.join(', ')}</code>
        </>
      )}
      {added.length > 0 && removed.length > 0 && '; '}
      {removed.length > 0 && (
        <>
          taken away <code className="font-mono text-xs break-all">{removed.join(', ')}</code>
        </>
      )}
    </span>
  )
}
