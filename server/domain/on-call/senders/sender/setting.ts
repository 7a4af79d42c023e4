import type { SenderSetting } from '@signalbox/contract/app/senders.ts'

/**
 * What a person may set for a sender in addition to its secret: how the app asks for it, and which values are valid.
 */
export interface Setting extends SenderSetting {
  holds(value: unknown): boolean
  must: string
}

export const choice = (asked: SenderSetting & { options: string[] }): Setting => ({
  ...asked,
  holds: (value) => asked.options.some((option) => option === value),
  must: `be ${asked.options.slice(0, -1).join(', ')} or ${asked.options.at(-1)}`,
})

export const tick = (asked: SenderSetting & { ticked: string }): Setting => ({
  ...asked,
  holds: (value) => value === asked.ticked,
  must: `be "${asked.ticked}", or be left out`,
})

export const text = (asked: SenderSetting, holds: (value: string) => boolean, must: string): Setting => ({
  ...asked,
  holds: (value) => typeof value === 'string' && holds(value),
  must,
})
