import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { useMatch, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useGo } from '../ui/link.ts'
import { moved } from './selection.ts'

/** Leafing through must not wait for the router: the address follows when the keys rest. */
const addressFollowsAfter = 200

/** Which decision is selected, in step with the address. */
export function useSelection(rows: readonly DecisionRow[], selectsFirst: boolean) {
  const navigate = useGo()
  const router = useRouter()
  const pathname = useMatch({ from: '/$ws/inbox', select: (match) => match.pathname })
  const search = useSearch({ from: '/$ws/inbox' })
  const [selected, setSelected] = useState<string | null>(search.key ?? null)
  const [focusRequest, setFocusRequest] = useState(0)
  const latest = useRef({ rows, selected, search, index: 0, written: search.key })
  latest.current.rows = rows
  latest.current.selected = selected
  latest.current.search = search
  const index = rows.findIndex(({ key }) => key === selected)
  if (index >= 0) latest.current.index = index

  // Someone followed a link, or went back.
  useEffect(() => {
    if (search.key === latest.current.written) return
    latest.current.written = search.key
    setSelected(search.key ?? null)
  }, [search.key])
  useEffect(() => {
    if (selectsFirst && selected === null && rows[0]) setSelected(rows[0].key)
  }, [selectsFirst, selected, rows])
  useEffect(() => {
    const timer = setTimeout(() => {
      const { search: now } = latest.current
      // Someone who is on the way to another screen is not called back.
      const isLeaving = router.latestLocation.pathname !== pathname
      if (isLeaving || (now.key ?? null) === selected) return
      const { key: _, ...others } = now
      latest.current.written = selected ?? undefined
      void navigate({
        to: '/$ws/inbox',
        search: selected ? { ...others, key: selected } : others,
        replace: true,
        resetScroll: false,
      })
    }, addressFollowsAfter)
    return () => clearTimeout(timer)
  }, [selected, navigate, router, pathname])

  const focus = useCallback(() => setFocusRequest((before) => before + 1), [])
  const select = useCallback(
    (key: string | null) => {
      setSelected(key)
      focus()
    },
    [focus],
  )
  const move = useCallback(
    (by: number) => {
      const { rows: now, selected: from, index: last } = latest.current
      const keys = now.map(({ key }) => key)
      select(moved(keys, from, last, by))
    },
    [select],
  )
  return { selected, select, move, focus, focusRequest }
}
