import { rateWith } from '../reading/severity.ts'

export const rate = rateWith({ fatal: 'critical', debug: 'info' })
