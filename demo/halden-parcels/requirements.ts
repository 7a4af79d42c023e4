import { admin, member } from './people.ts'

/** What two people asked for: one clear, and drafted; one vague, and asked back. */
export const requirements = [
  {
    minutesAgo: 190,
    by: admin.email,
    team: 'partner-portal',
    text: `Partners ask support for numbers they could look up themselves.

## Download a month of deliveries
As a partner, I want to download a month’s deliveries so that I can check my invoice without calling anyone.

Acceptance criteria:
- The file is CSV and has one line per parcel.
- A month without deliveries produces a file with only the header row.
- The download is available from the first day of the next month.

Demonstrate: open the portal as a partner, choose last month, download the file and open it.

Test plan: a month with three parcels, a month without any, and the last day of a month.

Size: s

## Show the delivery window
As a partner, I want to see a parcel’s delivery window so that I can tell my customer when to be at home.

Acceptance criteria:
- The window is shown as two times in the recipient’s time zone.
- A parcel without a window says that it doesn’t have one yet.

Test plan: a recipient in another time zone, and a parcel without a window.`,
  },
  { minutesAgo: 22, by: member.email, team: 'checkout-web', text: 'Make the checkout faster and nicer.' },
]
