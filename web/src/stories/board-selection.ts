import type { BoardColumn } from '@signalbox/contract/app/stories.ts'
import { useCallback, useMemo, useState } from 'react'

/** Which cards are picked. Those that have left the board are not picked any more. */
export function useSelection(columns: readonly BoardColumn[] | undefined) {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [isPicking, setPicking] = useState(false)
  const selected = useMemo(
    () =>
      new Set(
        columns?.flatMap(({ stories }) => stories.map(({ key }) => key)).filter((key) => picked.has(key)),
      ),
    [columns, picked],
  )
  const toggle = useCallback(
    (key: string) =>
      setPicked(
        (before) => new Set(before.has(key) ? [...before].filter((one) => one !== key) : [...before, key]),
      ),
    [],
  )
  const clear = useCallback(() => {
    setPicked(new Set())
    setPicking(false)
  }, [])
  return {
    selected,
    isSelecting: isPicking || selected.size > 0,
    toggle,
    clear,
    begin: () => setPicking(true),
  }
}
