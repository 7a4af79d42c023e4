import type { DemoPerson } from '../script.ts'

/** The three people whose sign-ins the demo prints. */
export const owner: DemoPerson = {
  email: 'ines.carvalho@example.com',
  name: 'Inês Carvalho',
  role: 'owner',
  joinedMinutesAgo: 13_500,
}

export const admin: DemoPerson = {
  email: 'tomasz.wrobel@example.com',
  name: 'Tomasz Wróbel',
  role: 'admin',
  joinedMinutesAgo: 13_470,
}

export const member: DemoPerson = {
  email: 'amara.okafor@example.com',
  name: 'Amara Okafor',
  role: 'member',
  joinedMinutesAgo: 13_460,
}

export const people: DemoPerson[] = [
  owner,
  admin,
  member,
  { email: 'kenji.morita@example.com', name: 'Kenji Morita', role: 'member', joinedMinutesAgo: 13_455 },
  { email: 'leila.haddad@example.com', name: 'Leila Haddad', role: 'member', joinedMinutesAgo: 13_050 },
  {
    email: 'joris.vandijk@example.com',
    name: 'Joris van Dijk',
    role: 'member',
    joinedMinutesAgo: 12_950,
    promoted: { to: 'admin', by: owner.email, minutesAgo: 7_900 },
  },
]
