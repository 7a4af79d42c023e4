import type { LogPiece } from '@signalbox/contract/app/runs.ts'
import { useEffect, useMemo, useState } from 'react'
import { LogBuffer } from './log-buffer.ts'

export type LogState = 'connecting' | 'live' | 'lost' | 'ended'

/**
 * The log of a run as it is printed. What arrives is gathered and shown once a frame, however fast it comes. Open only
 * while someone looks: a browser has few connections to one host.
 */
export function useLog(workspace: string, key: string, isOver: boolean) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run has another log
  const buffer = useMemo(() => new LogBuffer(), [workspace, key])
  const [shown, setShown] = useState(0)
  const [state, setState] = useState<LogState>('connecting')

  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that was over and is tried again prints again
  useEffect(() => {
    let arrived: LogPiece[] = []
    let frame = 0
    let again: ReturnType<typeof setTimeout> | undefined
    const show = () => {
      frame = 0
      for (const piece of arrived) buffer.append(piece)
      arrived = []
      setShown(buffer.count)
    }
    setShown(buffer.count)
    setState('connecting')
    let source = open()
    return () => {
      source.close()
      cancelAnimationFrame(frame)
      clearTimeout(again)
    }
    function open(): EventSource {
      const opened = new EventSource(`/api/w/${workspace}/runs/${key}/log?after=${buffer.count}`)
      opened.onopen = () => setState('live')
      opened.onerror = () => {
        setState('lost')
        if (opened.readyState !== EventSource.CLOSED) return
        // Given up for good, as after an error page of a proxy. Asked for again, after what is here by then.
        again = setTimeout(() => {
          show()
          source = open()
        }, 2_000)
      }
      opened.addEventListener('lines', ({ data }) => {
        arrived.push(JSON.parse(data))
        frame ||= requestAnimationFrame(show)
      })
      opened.addEventListener('end', () => {
        opened.close()
        setState('ended')
      })
      return opened
    }
  }, [buffer, workspace, key, isOver])
  return { buffer, count: shown, state }
}
