import type { LogPiece } from '@signalbox/contract/app/runs.ts'
import { useEffect, useMemo, useState } from 'react'
import { keepStream } from '../api/stream.ts'
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
    const show = () => {
      frame = 0
      for (const piece of arrived) buffer.append(piece)
      arrived = []
      setShown(buffer.count)
    }
    setState('connecting')
    const stream = keepStream({
      // After what is here by then.
      address: () => {
        show()
        return `/api/w/${workspace}/runs/${key}/log?after=${buffer.count}`
      },
      on: {
        lines: (data) => {
          arrived.push(JSON.parse(data))
          frame ||= requestAnimationFrame(show)
        },
        end: () => {
          stream.close()
          setState('ended')
        },
      },
      onHeard: () => setState('live'),
      onBroken: () => setState('lost'),
    })
    return () => {
      stream.close()
      cancelAnimationFrame(frame)
    }
  }, [buffer, workspace, key, isOver])
  return { buffer, count: shown, state }
}
