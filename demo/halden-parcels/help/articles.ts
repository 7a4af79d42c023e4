/** What each story of the team changed: its title, why, what shows that it works, and how large the change was. */
export interface Article {
  title: string
  why: string
  shows: string
  paths: [string, string, ...string[]]
  additions: number
  deletions: number
}

const page = (name: string) => `content/help/${name}.md`
const search = 'src/search/synonyms.ts'

/** Oldest first: all of them were merged more than a week ago. */
export const merged: Article[] = [
  {
    title: 'Explain what to do when a locker door stays shut',
    why: 'It is the third most common call to support, and the help pages don’t mention it.',
    shows: 'The search for “door” shows the new page first.',
    paths: [page('door-stays-shut'), page('index'), search],
    additions: 84,
    deletions: 6,
  },
  {
    title: 'Describe pickup with a code instead of the app',
    why: 'Recipients without the app don’t know that the code in the email is enough to open a door.',
    shows: 'The page shows the six steps and a picture of the keypad.',
    paths: [page('pickup-with-code'), page('index'), search],
    additions: 77,
    deletions: 4,
  },
  {
    title: 'List which parcels are too large for a locker',
    why: 'Senders measure a parcel after they have paid, and ask for their money back when it doesn’t fit.',
    shows: 'The table has the three sizes of every locker model.',
    paths: [page('parcel-sizes'), page('index'), search],
    additions: 92,
    deletions: 11,
  },
  {
    title: 'Explain how long a parcel waits in a locker',
    why: 'The pages say 48 hours in one place and 72 in another. Only one can be right.',
    shows: 'All pages say 72 hours; the search for “deadline” finds them.',
    paths: [page('waiting-time'), page('index'), search],
    additions: 61,
    deletions: 23,
  },
  {
    title: 'Describe how to send someone else to pick up a parcel',
    why: 'People share their password to let a neighbour pick up a parcel. The pickup code would do.',
    shows: 'The page describes the pickup code and warns against sharing a password.',
    paths: [page('someone-else'), page('index'), search],
    additions: 88,
    deletions: 3,
  },
  {
    title: 'Explain returns from a locker',
    why: 'Returns go through the shop, and support explains this in about 40 emails a day.',
    shows: 'The search for “return” shows the page and the form of the shop.',
    paths: [page('returns'), page('index'), search],
    additions: 79,
    deletions: 8,
  },
  {
    title: 'Describe how to report a damaged parcel',
    why: 'Reports without a photo can’t be refunded, and no page says so before the form is sent.',
    shows: 'The page asks for a photo and shows where to upload it.',
    paths: [page('damaged-parcel'), page('index'), search],
    additions: 95,
    deletions: 2,
  },
  {
    title: 'Explain the fee for a changed delivery address',
    why: 'The fee is on the invoice and nowhere else, so people complain about it after they have paid.',
    shows: 'The price list and the page have the same amount.',
    paths: [page('changed-address'), page('index'), search],
    additions: 72,
    deletions: 9,
  },
  {
    title: 'Add opening hours of service points at stations',
    why: 'Service points close earlier than the station they are in, and people come for nothing.',
    shows: 'The page lists weekdays, Saturdays and holidays.',
    paths: [page('service-points'), page('index'), search],
    additions: 110,
    deletions: 5,
  },
  {
    title: 'Explain why a tracking number is unknown at first',
    why: 'A number is known only after the first scan, up to six hours later. People think it’s wrong.',
    shows: 'The search for a number leads to the page.',
    paths: [page('tracking-unknown'), page('index'), search],
    additions: 66,
    deletions: 16,
  },
  {
    title: 'Describe how to change the language of messages',
    why: 'The setting is in the account, and people look for it in the app, where they don’t find it.',
    shows: 'The page shows both ways, in nine languages.',
    paths: [page('message-language'), page('index'), search],
    additions: 81,
    deletions: 7,
  },
  {
    title: 'Explain how to delete an account',
    why: 'The law asks for a page about this that can be found and read without signing in.',
    shows: 'The page opens without a session and leads to the form.',
    paths: [page('delete-account'), page('index'), search],
    additions: 86,
    deletions: 4,
  },
]

/** Verified, and waiting for a person like all before it. */
export const waiting: Article = {
  title: 'Add opening hours of stations that close at night',
  why: 'Some stations close between 1:00 and 4:30, and the lockers inside can’t be reached.',
  shows: 'The page lists the 14 stations that close.',
  paths: [page('service-points'), page('index'), search],
  additions: 71,
  deletions: 5,
}
