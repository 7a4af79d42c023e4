import type { DemoPerson } from './script.ts'

/** The three people whose sign-ins the demo prints. */
export const owner: DemoPerson = {
  email: 'ines.carvalho@example.com',
  name: 'Inês Carvalho',
  role: 'owner',
  joinedAs: 'owner',
  joinedMinutesAgo: 13_500,
}

export const admin: DemoPerson = {
  email: 'tomasz.wrobel@example.com',
  name: 'Tomasz Wróbel',
  role: 'admin',
  joinedAs: 'admin',
  joinedMinutesAgo: 13_470,
}

export const member: DemoPerson = {
  email: 'amara.okafor@example.com',
  name: 'Amara Okafor',
  role: 'member',
  joinedAs: 'member',
  joinedMinutesAgo: 13_460,
}

/** Further people of the main workspace. */
const colleagues: DemoPerson[] = [
  {
    email: 'kenji.morita@example.com',
    name: 'Kenji Morita',
    role: 'member',
    joinedAs: 'member',
    joinedMinutesAgo: 13_455,
  },
  {
    email: 'leila.haddad@example.com',
    name: 'Leila Haddad',
    role: 'member',
    joinedAs: 'member',
    joinedMinutesAgo: 13_050,
  },
  {
    email: 'joris.vandijk@example.com',
    name: 'Joris van Dijk',
    role: 'admin',
    joinedAs: 'member',
    joinedMinutesAgo: 12_950,
  },
]

export const people: DemoPerson[] = [owner, admin, member, ...colleagues]

/** The owner of the second workspace. */
export const otherOwner: DemoPerson = {
  email: 'noor.rahimi@example.org',
  name: 'Noor Rahimi',
  role: 'owner',
  joinedAs: 'owner',
  joinedMinutesAgo: 9_000,
}
