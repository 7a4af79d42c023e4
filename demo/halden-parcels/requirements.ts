import { admin, member } from './people.ts'

/** What two people asked for: one clear, and drafted; one vague, and asked back. */
export const requirements = [
  {
    minutesAgo: 190,
    by: admin.email,
    team: 'partner-portal',
    text: `Partners ask support for numbers that they could see themselves.

## Download a month of deliveries
As a partner, I want to download all deliveries of a month so that I can check my invoice without calling anybody.

Acceptance criteria:
- The file is CSV and has one line per parcel.
- A month without deliveries gives a file with its headings alone.
- The download is offered from the first day of the next month.

Demonstrate: open the portal as a partner, choose last month, download the file and open it.

Size: s

## Show the delivery window
As a partner, I want to see the delivery window of a parcel so that I can tell my customer when somebody must be at home.

Acceptance criteria:
- The window is shown as two times in the time zone of the receiver.
- A parcel without a window says that it has none yet.`,
  },
  { minutesAgo: 22, by: member.email, team: 'checkout-web', text: 'Make the checkout faster and nicer.' },
]
