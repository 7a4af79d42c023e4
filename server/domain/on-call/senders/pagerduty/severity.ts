import { rateWith } from '../reading/severity.ts'

export const rate = rateWith({ 'sev 1': 'critical' })
