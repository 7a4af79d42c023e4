import type { ProposedStory } from '../../server/domain/proposed-story.ts'

/** Who brings what arrives while the demo is open, and answers what comes of it: an admin, as reverts ask for. */
export const mover = 'joris.vandijk@example.com'

/** The team it arrives at, which merges small changes on its own, and the service that its code runs in. */
export const moving = { team: 'data-platform', service: 'event-feed' }

/** Stories that arrive while the demo is open, each with the alert that its merge leads to. */
export interface Arrival {
  story: Omit<ProposedStory, 'complexity' | 'classOfService'>
  /** Nothing is behind it: it recovers on its own. */
  blip: string
  /** Where the new code fails. */
  error: string
}

export const arrivals: Arrival[] = [
  {
    story: {
      title: 'Count parcels per depot in the event feed',
      description:
        'Depot managers count parcels by hand at the end of a shift. The event feed knows every scan, so it can count for them.',
      acceptanceCriteria: [
        'GET /feed/counts answers with one number for each depot.',
        'A parcel that was scanned twice is counted once.',
      ],
      demonstrate: 'Open /feed/counts in the test environment: Moss has 1,204 parcels.',
      size: 's',
    },
    blip: 'Event feed lags 40 seconds behind',
    error: "TypeError: Cannot read properties of undefined (reading 'depot')",
  },
  {
    story: {
      title: 'Merge duplicate scans of one parcel',
      description:
        'Handheld scanners send a scan again when the network was away. The same scan appears twice in the history of a parcel.',
      acceptanceCriteria: [
        'Two scans of a parcel at the same place within five seconds are shown once.',
        'Two scans at different places are both shown.',
      ],
      demonstrate: 'Replay the scans of Tuesday: the history of a parcel has no repeated line.',
      size: 's',
    },
    blip: 'Event feed uses 92% of its memory limit',
    error: 'RangeError: Maximum call stack size exceeded',
  },
  {
    story: {
      title: 'Name the carrier in every hand-over event',
      description:
        'Partners ask which carrier took a parcel. The event says that it was handed over and not to whom.',
      acceptanceCriteria: [
        'A hand-over event has the name of the carrier.',
        'Events from before the change are shown without a carrier.',
      ],
      demonstrate: 'Hand a test parcel over to Nordtrans: the event names it.',
      size: 'xs',
    },
    blip: 'Event feed answers slowly: 1.9 s at the 95th percentile',
    error: "TypeError: Cannot read properties of null (reading 'carrier')",
  },
  {
    story: {
      title: 'Keep rejected events for a day',
      description:
        'An event that fails its check is dropped without a trace. To find out why, the team has to ask the sender to send it again.',
      acceptanceCriteria: [
        'A rejected event can be read for 24 hours, with the reason.',
        'Personal data in it is replaced as in the log.',
      ],
      demonstrate: 'Send an event without a parcel number, then read it with its reason.',
      size: 's',
    },
    blip: 'Event feed restarted twice in ten minutes',
    error: 'Error: duplicate key value violates unique constraint "rejected_pkey"',
  },
]
