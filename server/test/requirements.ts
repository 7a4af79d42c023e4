import type { Split, Splitter } from '../domain/ports/splitter.ts'
import type { ProposedStory } from '../domain/proposed-story.ts'

/** A splitter that gives these splits, one after the other, and remembers what it was asked. */
export function aSplitter(...splits: Split[]): Splitter & { asked: Parameters<Splitter['split']>[] } {
  const asked: Parameters<Splitter['split']>[] = []
  return {
    name: 'scripted',
    asked,
    async split(...question) {
      asked.push(question)
      const split = splits[asked.length - 1]
      if (!split) throw new Error('The splitter was asked once more than the test expects.')
      return split
    },
  }
}

/** A proposed story, ready unless departures say otherwise. */
export const proposed = (departures: Partial<ProposedStory> = {}): ProposedStory => ({
  title: 'Show the delivery window',
  description: 'Customers call support to ask when a parcel comes, because the order page does not say it.',
  acceptanceCriteria: [
    'The order page shows the first and the last hour of the delivery.',
    'An order without a window shows the day of the delivery.',
  ],
  demonstrate: 'Open an order that is on its way and read the window.',
  size: 's',
  complexity: 'low',
  classOfService: 'standard',
  ...departures,
})
