import type { DemoActor } from './script.ts'

/** Who acts in the demo's past, by first name. */

const human = (email: string): DemoActor => ({ type: 'human', email })

export const ines = human('ines.carvalho@example.com')
export const tomasz = human('tomasz.wrobel@example.com')
export const joris = human('joris.vandijk@example.com')
export const amara = human('amara.okafor@example.com')
export const kenji = human('kenji.morita@example.com')
export const leila = human('leila.haddad@example.com')
export const noor = human('noor.rahimi@example.org')
export const service: DemoActor = { type: 'service' }
export const intake: DemoActor = { type: 'system', name: 'alert intake' }
export const scheduler: DemoActor = { type: 'system', name: 'scheduler' }
