import type { DemoPolicy } from './script.ts'

/** The last word of every policy here: no agent is connected, and nothing shall look as if one were. */
export const played = (by: string, policies: DemoPolicy[]): DemoPolicy[] => {
  const { preset, departures } = policies.at(-1)!
  // Nothing runs in a box here, but a policy that equals its preset stays so.
  const isCustom = Object.keys(departures ?? {}).some((setting) => setting !== 'executor')
  const scripted: DemoPolicy['departures'] = {
    executor: 'scripted',
    ...(isCustom && { isolation: 'none' }),
    ...(departures?.secondReview && { secondReview: { ...departures.secondReview, by: 'scripted' } }),
  }
  const reason = 'This is a demo: outcomes are scripted, no coding agent is connected.'
  return [...policies, { preset, departures: { ...departures, ...scripted }, reason, by, minutesAgo: 45 }]
}
