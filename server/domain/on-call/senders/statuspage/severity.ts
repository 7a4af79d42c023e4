import { rateWith } from '../reading/severity.ts'

/** On a status page, "major" is a partial outage; a major outage is called critical. */
export const rate = rateWith({ major: 'high', none: 'info', 'under maintenance': 'info' })
