import assert from 'node:assert/strict'
import { heartbeatMs } from '@signalbox/contract/limits.ts'

/** Begun before a stream is, and called when it has ended: whether that was left to its first heartbeat. */
export function heartbeat(): () => void {
  const began = performance.now()
  return () => assert.ok(performance.now() - began < heartbeatMs, 'before the heartbeat')
}
