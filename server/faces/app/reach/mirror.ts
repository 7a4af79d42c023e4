import type { reads, writes } from '@signalbox/contract/app/mirror.ts'
import { mapStatuses } from '../../../domain/reach/mirror/map.ts'
import { readMirror } from '../../../domain/reach/mirror/read.ts'
import { settleConflict } from '../../../domain/reach/mirror/settle-conflict.ts'
import { sweepNow } from '../../../domain/reach/mirror/sweep-now.ts'
import type { Handlers } from '../operation.ts'

export const mirrorHandlers: Handlers<typeof reads & typeof writes> = {
  'mirror.read': (ctx, { team }) => readMirror(ctx, team),
  'mirror.map': async (ctx, { team, mapping }) => {
    await mapStatuses(ctx, team, mapping)
    return null
  },
  'mirror.sweep': async (ctx, { team }) => {
    await sweepNow(ctx, team)
    return null
  },
  'mirror.settle': async (ctx, { key, keep }) => {
    await settleConflict(ctx, key, keep)
    return null
  },
}
