import type { DemoPerson } from '../script.ts'

/** The three people whose sign-ins the demo prints. */
export const owner: DemoPerson = {
  email: 'ines.carvalho@example.com',
  name: 'Inês Carvalho',
  role: 'owner',
  joinedMinutesAgo: 110_400,
}

export const admin: DemoPerson = {
  email: 'tomasz.wrobel@example.com',
  name: 'Tomasz Wróbel',
  role: 'admin',
  joinedMinutesAgo: 110_370,
}

export const member: DemoPerson = {
  email: 'amara.okafor@example.com',
  name: 'Amara Okafor',
  role: 'member',
  joinedMinutesAgo: 110_360,
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
